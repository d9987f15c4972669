import { canonical, ProjectAnchorError } from '../base/index.ts';
import { MAX_CHANGED, MAX_OPS, MAX_OPS_BYTES } from './limits.ts';
import { GIT_FIELDS } from './schema.ts';
import type { GitPatch, Op } from './types.ts';

/**
 * Merges what was collected in a window (protocol §5): the later operation on the same thing wins and takes the later
 * place, `update_git` merges field by field. Applying the result equals applying each.
 * Nothing is merged across an operation that means something by what stood before it.
 */
export function mergeOps(ops: readonly Op[]): readonly Op[] {
  const merged: Op[] = [];
  let segment = new Map<string, Op>();
  for (const op of ops) {
    const key = thingOf(op);
    if (key === undefined) {
      merged.push(...segment.values(), op);
      segment = new Map();
      continue;
    }
    const earlier = segment.get(key);
    segment.delete(key);
    segment.set(key, earlier === undefined ? op : combine(earlier, op));
  }
  return [...merged, ...segment.values()];
}

/** What an operation is about; undefined for the ones that nothing may be merged across. */
function thingOf(op: Op): string | undefined {
  switch (op.op) {
    case 'add_tag':
      return thing('tag', op.target, op.key, op.source === 'auto' ? 'auto' : 'set');
    case 'remove_tag':
      return thing('tag', op.target, op.key, op.auto === true ? 'auto' : 'set');
    case 'add_focus':
    case 'remove_focus':
      return thing('focus', op.target);
    case 'update_git':
    case 'update_active':
    case 'update_files':
      return thing(op.op, op.workspace);
    case 'update_outline':
    case 'remove_outline':
      return thing('outline', op.workspace, op.path);
    case 'update_dependencies':
    case 'remove_dependencies':
      return thing('dependencies', op.workspace, op.manifest);
    case 'note_commit':
      return thing('commit', op.workspace, op.commit);
    case 'add_alias':
    case 'request':
    case 'resolve_request':
      return thing(op.op, op.id);
    case 'rename_path':
    case 'rewrite_history':
    case 'remove_workspace':
    case 'checkpoint':
      return undefined;
  }
}

function thing(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function combine(earlier: Op, later: Op): Op {
  if (earlier.op === 'update_git' && later.op === 'update_git') return { ...earlier, ...later };
  if (earlier.op === 'update_files' && later.op === 'update_files') {
    // Both gave notice of what changed; the newest notices are kept.
    return { ...later, changed: [...new Set([...earlier.changed, ...later.changed])].slice(-MAX_CHANGED) };
  }
  return later;
}

/**
 * Cuts operations into lists that fit one delta each, in order.
 * @throws ProjectAnchorError `too_large` for a single operation that fits none.
 */
export function splitOps(ops: readonly Op[]): readonly (readonly Op[])[] {
  const lists: Op[][] = [];
  let list: Op[] = [];
  let bytes = 0;
  for (const op of ops.flatMap(fitting)) {
    const size = sizeOf(op) + 1;
    if (list.length === MAX_OPS || bytes + size + 1 > MAX_OPS_BYTES) {
      lists.push(list);
      list = [];
      bytes = 0;
    }
    list.push(op);
    bytes += size;
  }
  return list.length === 0 ? lists : [...lists, list];
}

/** An operation as it is, or, for an `update_git` with long lists, one per field: it merges field by field anyway. */
function fitting(op: Op): readonly Op[] {
  if (fits(op)) return [op];
  const parts = op.op === 'update_git' ? fieldByField(op) : [];
  if (parts.length > 1 && parts.every(fits)) return parts;
  throw new ProjectAnchorError(
    'too_large',
    `The operation ${op.op} takes ${sizeOf(op)} bytes, more than a delta holds (${MAX_OPS_BYTES}).`,
  );
}

function fieldByField(op: Extract<Op, { op: 'update_git' }>): readonly Op[] {
  return GIT_FIELDS.filter((field) => op[field] !== undefined).map((field) => {
    const patch: GitPatch = { [field]: op[field] };
    return { op: 'update_git', workspace: op.workspace, ...patch };
  });
}

function fits(op: Op): boolean {
  return sizeOf(op) + 2 <= MAX_OPS_BYTES;
}

function sizeOf(op: Op): number {
  return Buffer.byteLength(canonical(op), 'utf8');
}
