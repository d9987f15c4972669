import { canonical, codeOf, messageOf, ProjectAnchorError } from '../base/index.ts';
import { MAX_PAIRS, parseTarget, pathProblem } from '../snapshot/index.ts';
import { knownOp, parseDraft } from './schema.ts';
import type { DeltaDraft, GitPatch, Op } from './types.ts';

/** Limits of protocol §3, §4 and §5. Sizes are bytes of canonical JSON in UTF-8, lengths of text are code points. */
export const MAX_OPS = 256;
export const MAX_OPS_BYTES = 128 * 1024;
/** What a delta may carry beside its operations, unknown fields included, so that it fits a frame of 256 KiB. */
const MAX_ENVELOPE_BYTES = 32 * 1024;
export const MAX_REQUESTS = 50;
export const MAX_COMMITS = 20;
export const MAX_CHANGED = 50;
const MAX_GIT_LIST = 200;
export const MAX_COMMIT_PATHS = 50;
const MAX_OUTLINE_ITEMS = 400;
const MAX_OUTLINE_BYTES = 32 * 1024;
const MAX_SIGNATURE = 200;
const MAX_VALUE = 128;
const KEY = /^[\p{Ll}\p{Lo}\p{N}_]{1,64}$/u;

/** Names, ids and other short texts, for which the protocol gives no limit of its own. */
const MAX_NAME = 256;
const MAX_TEXT = 4_096;

/**
 * What an author may publish: a well-formed delta within the limits, whose operations this version knows.
 * Returns it as received, unknown fields kept, without what only the log assigns.
 * @throws ProjectAnchorError `invalid`, `too_large` or `unsupported_op`, naming the operation at fault.
 */
export function checkDraft(raw: unknown): DeltaDraft {
  const { seq: _seq, prev: _prev, hash: _hash, ...draft } = parseDraft(raw) as DeltaDraft & Record<string, unknown>;
  const envelope = Buffer.byteLength(canonical({ ...draft, ops: undefined }), 'utf8');
  if (envelope > MAX_ENVELOPE_BYTES) {
    throw new ProjectAnchorError('too_large', `A delta takes ${envelope} bytes beside its operations.`);
  }
  if (draft.ops.length === 0) throw new ProjectAnchorError('invalid', 'A delta has no operations.');
  if (draft.ops.length > MAX_OPS) {
    throw new ProjectAnchorError(
      'too_large',
      `A delta has ${draft.ops.length} operations.`,
      `Split it: ${MAX_OPS} fit.`,
    );
  }
  checkOps(draft.ops);
  const bytes = opsBytes(draft.ops);
  if (bytes > MAX_OPS_BYTES) {
    throw new ProjectAnchorError(
      'too_large',
      `The operations of a delta take ${bytes} bytes.`,
      `Split it: ${MAX_OPS_BYTES} fit.`,
    );
  }
  return draft as DeltaDraft;
}

/**
 * Whether each operation is known, well formed and within its limits.
 * @throws ProjectAnchorError `invalid` or `unsupported_op`, naming the first that is not.
 */
export function checkOps(ops: readonly Op[]): void {
  ops.forEach(checkOp);
}

/** Bytes of operations in canonical JSON. */
export function opsBytes(ops: readonly Op[]): number {
  return Buffer.byteLength(canonical(ops), 'utf8');
}

function checkOp(raw: Op, index: number): void {
  try {
    const problem = limitProblem(knownOp(raw));
    if (problem !== null) throw new ProjectAnchorError('invalid', `The operation ${raw.op}: ${problem}.`);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'invalid' && code !== 'unsupported_op') throw error;
    throw new ProjectAnchorError(code, `Operation ${index + 1} of a delta: ${messageOf(error)}`, undefined, {
      cause: error,
    });
  }
}

/** Why an operation is beyond the limits, as the rest of a sentence; null when it is not. */
export function limitProblem(op: Op): string | null {
  switch (op.op) {
    case 'add_tag':
      return targetProblem(op.target) ?? keyProblem(op.key) ?? valueProblem(op.value) ?? nameProblem('by', op.by);
    case 'remove_tag':
      return targetProblem(op.target) ?? keyProblem(op.key);
    case 'add_focus':
      return targetProblem(op.target) ?? nameProblem('by', op.by) ?? lengthProblem('symbol', op.symbol ?? '', MAX_TEXT);
    case 'remove_focus':
      return targetProblem(op.target);
    case 'update_git':
      return workspaceProblem(op.workspace) ?? gitProblem(op);
    case 'update_active':
      return workspaceProblem(op.workspace) ?? (op.path === null ? null : badPath(op.path));
    case 'update_outline':
      return workspaceProblem(op.workspace) ?? badPath(op.path) ?? outlineProblem(op.outline);
    case 'remove_outline':
      return workspaceProblem(op.workspace) ?? badPath(op.path);
    case 'update_files':
      return workspaceProblem(op.workspace) ?? listProblem('changed', op.changed, MAX_CHANGED);
    case 'update_dependencies':
    case 'remove_dependencies':
      return workspaceProblem(op.workspace) ?? badPath(op.manifest);
    case 'note_commit':
      return (
        workspaceProblem(op.workspace) ??
        nameProblem('commit', op.commit) ??
        listProblem('paths', op.paths, MAX_COMMIT_PATHS)
      );
    case 'rewrite_history':
      return workspaceProblem(op.workspace) ?? listProblem('pairs', op.pairs, MAX_PAIRS);
    case 'rename_path':
      return workspaceProblem(op.workspace) ?? badPath(op.from) ?? badPath(op.to);
    case 'add_alias':
      return lengthProblem('id', op.id, MAX_TEXT) ?? (op.id === '' ? 'its id is empty' : null);
    case 'remove_workspace':
      return workspaceProblem(op.workspace);
    case 'request':
      return (
        nameProblem('id', op.id) ??
        nameProblem('action', op.action) ??
        targetProblem(op.target) ??
        nameProblem('by', op.by)
      );
    case 'resolve_request':
      return nameProblem('id', op.id) ?? lengthProblem('result', op.result, MAX_TEXT);
    case 'checkpoint':
      return null;
  }
}

function targetProblem(target: string): string | null {
  try {
    parseTarget(target);
    return null;
  } catch (error) {
    if (codeOf(error) !== 'invalid') throw error;
    return messageOf(error).replace(/\.$/, '');
  }
}

function keyProblem(key: string): string | null {
  if (key === key.normalize('NFC') && KEY.test(key)) return null;
  return 'its key is not 1 to 64 small letters, digits or underscores';
}

function valueProblem(value: string): string | null {
  if (value !== value.normalize('NFC') || value !== value.trim()) return 'its value is not normalised (NFC, trimmed)';
  return lengthProblem('value', value, MAX_VALUE);
}

function workspaceProblem(workspace: string): string | null {
  return nameProblem('workspace', workspace);
}

function nameProblem(field: string, name: string): string | null {
  return name === '' ? `its ${field} is empty` : lengthProblem(field, name, MAX_NAME);
}

function lengthProblem(field: string, text: string, most: number): string | null {
  // A string is at least half as many code points long as it has units.
  if (text.length <= most) return null;
  return text.length > 2 * most || [...text].length > most ? `its ${field} is longer than ${most} characters` : null;
}

function badPath(path: string): string | null {
  const problem = pathProblem(path);
  return problem === null ? null : `its path ${problem}`;
}

function listProblem(field: string, list: readonly unknown[], most: number): string | null {
  return list.length > most ? `its ${field} has more than ${most} entries` : null;
}

function gitProblem(patch: GitPatch): string | null {
  for (const field of ['staged', 'unstaged', 'untracked', 'conflicted'] as const) {
    const problem = listProblem(field, patch[field] ?? [], MAX_GIT_LIST);
    if (problem !== null) return problem;
  }
  return null;
}

function outlineProblem(outline: Extract<Op, { op: 'update_outline' }>['outline']): string | null {
  const items = listProblem('outline', outline.items, MAX_OUTLINE_ITEMS);
  if (items !== null) return items;
  for (const item of outline.items) {
    const problem = lengthProblem('signature', item.signature ?? '', MAX_SIGNATURE);
    if (problem !== null) return problem;
  }
  const bytes = Buffer.byteLength(canonical(outline), 'utf8');
  return bytes > MAX_OUTLINE_BYTES ? `its outline takes ${bytes} bytes, more than ${MAX_OUTLINE_BYTES}` : null;
}
