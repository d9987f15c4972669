import * as z from 'zod/mini';
import { ProjectAnchorError } from '../base/index.ts';
import type { OutlineItem } from '../snapshot/index.ts';
import {
  commitRecord,
  count,
  dependencies,
  dict,
  fileView,
  focus,
  gitFields,
  hex64,
  outline,
  tagValue,
  time,
} from './facts-schema.ts';
import type { Delta, DeltaDraft, Op, OpName, State } from './types.ts';

/** The tables of protocol §5 as schemas: every operation, the delta around them and the state they make. */

const text = z.string();
const workspace = { workspace: text };

function nullable<T extends z.ZodMiniType>(type: T) {
  return z.exactOptional(z.nullable(type));
}

const gitPatch = {
  head: nullable(gitFields.head),
  upstream: nullable(gitFields.upstream),
  staged: nullable(gitFields.staged),
  stagedMore: nullable(gitFields.stagedMore),
  unstaged: nullable(gitFields.unstaged),
  unstagedMore: nullable(gitFields.unstagedMore),
  untracked: nullable(gitFields.untracked),
  untrackedMore: nullable(gitFields.untrackedMore),
  conflicted: nullable(gitFields.conflicted),
  conflictedMore: nullable(gitFields.conflictedMore),
  operation: nullable(gitFields.operation),
  history: nullable(gitFields.history),
  bounded: nullable(gitFields.bounded),
  lastCommit: nullable(gitFields.lastCommit),
  submodules: nullable(gitFields.submodules),
};

/** The fields of GitState that `update_git` may carry. */
export const GIT_FIELDS = Object.keys(gitPatch) as readonly (keyof typeof gitPatch)[];

const opSchemas = {
  add_tag: z.object({ op: z.literal('add_tag'), target: text, key: text, ...tagValue.shape }),
  remove_tag: z.object({
    op: z.literal('remove_tag'),
    target: text,
    key: text,
    auto: z.exactOptional(z.literal(true)),
  }),
  add_focus: z.object({ op: z.literal('add_focus'), target: text, ...focus.shape }),
  remove_focus: z.object({ op: z.literal('remove_focus'), target: text }),
  update_git: z.object({ op: z.literal('update_git'), ...workspace, ...gitPatch }),
  update_active: z.object({ op: z.literal('update_active'), ...workspace, path: z.nullable(text) }),
  update_outline: z.object({ op: z.literal('update_outline'), ...workspace, path: text, outline }),
  remove_outline: z.object({ op: z.literal('remove_outline'), ...workspace, path: text }),
  update_files: z.object({
    op: z.literal('update_files'),
    ...workspace,
    ...fileView,
    changed: z.readonly(z.array(text)),
  }),
  update_dependencies: z.object({
    op: z.literal('update_dependencies'),
    ...workspace,
    manifest: text,
    ...dependencies,
  }),
  remove_dependencies: z.object({ op: z.literal('remove_dependencies'), ...workspace, manifest: text }),
  note_commit: z.object({ op: z.literal('note_commit'), ...workspace, ...commitRecord }),
  rewrite_history: z.object({
    op: z.literal('rewrite_history'),
    ...workspace,
    pairs: z.readonly(z.array(z.object({ old: text, new: text }))),
    more: z.exactOptional(count),
  }),
  rename_path: z.object({ op: z.literal('rename_path'), ...workspace, from: text, to: text }),
  add_alias: z.object({ op: z.literal('add_alias'), id: text }),
  remove_workspace: z.object({ op: z.literal('remove_workspace'), ...workspace }),
  request: z.object({
    op: z.literal('request'),
    id: text,
    action: text,
    target: text,
    by: text,
    at: z.exactOptional(time),
  }),
  resolve_request: z.object({ op: z.literal('resolve_request'), id: text, result: text }),
  checkpoint: z.object({ op: z.literal('checkpoint'), seq: count, stateHash: hex64 }),
} satisfies Record<OpName, z.ZodMiniType>;

const author = z.object({
  agent: text.check(z.minLength(1), z.maxLength(128)),
  session: text.check(z.minLength(1), z.maxLength(128)),
});

const draftFields = {
  schema: z.literal('projectanchor.delta.v1'),
  anchor: text.check(z.minLength(1), z.maxLength(2048)),
  id: text.check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)),
  author,
  at: time,
  base: z.exactOptional(count),
  snapshot: z.exactOptional(text),
  /** Each operation is looked at by `knownOp`, which can say which one is wrong. */
  ops: z.array(z.looseObject({ op: text })),
};

const draftSchema = z.looseObject(draftFields);
const deltaSchema = z.looseObject({ ...draftFields, seq: z.int().check(z.minimum(1)), prev: hex64, hash: hex64 });

const stateSchema = z.object({
  schema: z.literal('projectanchor.state.v1'),
  anchor: text,
  aliases: z.exactOptional(z.readonly(z.array(text))),
  tags: z.exactOptional(dict(dict(z.object({ set: z.exactOptional(tagValue), auto: z.exactOptional(tagValue) })))),
  focus: z.exactOptional(dict(focus)),
  requests: z.exactOptional(
    dict(z.object({ action: text, target: text, by: text, at: time, result: z.exactOptional(text) })),
  ),
  workspaces: z.exactOptional(
    dict(
      z.object({
        git: z.exactOptional(z.partial(z.object(gitFields))),
        active: nullable(text),
        files: z.exactOptional(z.object(fileView)),
        outlines: z.exactOptional(dict(outline)),
        dependencies: z.exactOptional(dict(z.object(dependencies))),
        commits: z.exactOptional(z.readonly(z.array(z.object(commitRecord)))),
      }),
    ),
  ),
});

/**
 * An operation with the fields that version 1 knows; others are dropped.
 * @throws ProjectAnchorError `unsupported_op` for a name that is not in the table, `invalid` for wrong fields.
 */
export function knownOp(raw: { readonly op: string }): Op {
  if (!Object.hasOwn(opSchemas, raw.op)) {
    throw new ProjectAnchorError(
      'unsupported_op',
      `This version does not know the operation ${JSON.stringify(raw.op.slice(0, 64))}.`,
      'Update ProjectAnchor.',
    );
  }
  const parsed = z.safeParse(opSchemas[raw.op as OpName], raw);
  if (parsed.success) return parsed.data as Op;
  throw new ProjectAnchorError('invalid', `The operation ${raw.op} ${firstIssue(parsed.error)}.`);
}

/** So many items of an outline are read in one step. */
const ITEMS_AT_ONCE = 16;

/** The same in steps of less than a millisecond, so that others can have a turn between them: outlines may be long. */
export function* readingOp(raw: { readonly op: string }): Generator<void, Op> {
  const items = raw.op === 'update_outline' && 'outline' in raw ? itemsOf(raw.outline) : [];
  if (items.length <= ITEMS_AT_ONCE) return knownOp(raw);
  const read: OutlineItem[] = [];
  for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
    const parsed = z.safeParse(outline.shape.items, items.slice(from, from + ITEMS_AT_ONCE));
    // Which one it is of all of them, the whole says.
    if (!parsed.success) return knownOp(raw);
    for (const item of parsed.data) read.push(item);
    yield;
  }
  const given = raw as UpdateOutline;
  const bare: UpdateOutline = { ...given, outline: { ...given.outline, items: [] } };
  const known = knownOp(bare) as UpdateOutline;
  return { ...known, outline: { ...known.outline, items: read } };
}

type UpdateOutline = Extract<Op, { readonly op: 'update_outline' }>;

function itemsOf(value: unknown): readonly unknown[] {
  const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : undefined;
  return Array.isArray(items) ? items : [];
}

/**
 * A delta as its author sent it, unknown fields kept. Operations are not looked at here.
 * @throws ProjectAnchorError `invalid`.
 */
export function parseDraft(raw: unknown): DeltaDraft {
  const parsed = z.safeParse(draftSchema, raw);
  if (parsed.success) return raw as DeltaDraft;
  throw new ProjectAnchorError('invalid', `A delta ${firstIssue(parsed.error)}.`);
}

/** The same for a delta that a log has numbered. @throws ProjectAnchorError `invalid`. */
export function parseDelta(raw: unknown): Delta {
  const parsed = z.safeParse(deltaSchema, raw);
  if (parsed.success) return raw as Delta;
  throw new ProjectAnchorError('invalid', `A delta ${firstIssue(parsed.error)}.`);
}

/** A state, its maps without prototypes and only with fields of version 1. @throws ProjectAnchorError `invalid`. */
export function parseState(raw: unknown): State {
  const parsed = z.safeParse(stateSchema, raw);
  if (parsed.success) return parsed.data as State;
  throw new ProjectAnchorError('invalid', `A state ${firstIssue(parsed.error)}.`);
}

function firstIssue(error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] }): string {
  const path = error.issues[0]?.path.map(String).join('.') ?? '';
  return path === '' ? 'is not an object of the protocol' : `has no valid "${path.slice(0, 80)}"`;
}
