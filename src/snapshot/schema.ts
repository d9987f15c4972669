import * as z from 'zod/mini';
import { canonical, ProjectAnchorError } from '../base/index.ts';
import type { DirectoryNode, Outline, Snapshot } from './types.ts';

/**
 * Protocol §3 as schemas: the machine form of its tables. Unknown fields are let through, because what is hashed is the
 * object as received; values are checked in place and never copied.
 */

const count = z.int().check(z.minimum(0));
const text = z.string();
const strings = z.array(text);
const flag = z.optional(z.literal(true));
const hex64 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const hex32 = z.string().check(z.regex(/^[0-9a-f]{32}$/));
const oid = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));

/** zod's own records pass over a key named `__proto__`; here it is a key like any other. */
function dict<T>(values: z.ZodMiniType<T>) {
  return z.custom<Readonly<Record<string, T>>>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => z.safeParse(values, each).success),
    'not a map of what it should hold',
  );
}

const gitState = z.looseObject({
  head: z.looseObject({
    kind: z.enum(['branch', 'detached', 'unborn', 'none']),
    branch: z.optional(text),
    commit: z.optional(oid),
  }),
  upstream: z.optional(z.looseObject({ name: text, ahead: count, behind: count })),
  staged: strings,
  stagedMore: z.optional(count),
  unstaged: strings,
  unstagedMore: z.optional(count),
  untracked: strings,
  untrackedMore: z.optional(count),
  conflicted: strings,
  conflictedMore: z.optional(count),
  operation: z.optional(z.enum(['merge', 'rebase', 'cherry-pick', 'revert', 'bisect'])),
  history: hex64,
  bounded: flag,
  lastCommit: z.optional(z.looseObject({ commit: oid, subject: text, at: time, kinds: strings })),
  submodules: z.array(z.looseObject({ path: text, commit: oid, dirty: z.boolean() })),
});

const fileView = z.looseObject({ count, bytes: count, byLanguage: dict(count), tree: hex64, truncated: flag });

const outline = z.looseObject({
  language: text,
  lines: count,
  stale: flag,
  items: z.array(
    z.looseObject({
      kind: z.enum([
        'function',
        'class',
        'method',
        'constructor',
        'getter',
        'setter',
        'property',
        'interface',
        'type',
        'enum',
        'namespace',
        'constant',
        'variable',
      ]),
      name: text,
      start: count,
      end: count,
      signature: z.optional(text),
      exported: flag,
      of: z.optional(text),
    }),
  ),
  more: z.optional(count),
});

const tagValue = z.looseObject({
  value: text,
  by: text,
  at: time,
  source: z.enum(['user', 'agent', 'auto']),
  pinned: flag,
});
const tagSlot = z.looseObject({ set: z.optional(tagValue), auto: z.optional(tagValue) });
const focus = z.looseObject({
  by: text,
  at: time,
  pinned: flag,
  symbol: z.optional(text),
  linesHash: z.optional(text),
});

const snapshot = z.looseObject({
  schema: z.literal('projectanchor.snapshot.v1'),
  id: hex64,
  anchor: text,
  workspace: hex32,
  takenAt: time,
  trigger: z.enum(['commit', 'editor', 'mark', 'interval', 'hook', 'agent', 'manual']),
  parent: z.nullable(hex64),
  git: gitState,
  files: fileView,
  active: z.nullable(text),
  outlines: dict(outline),
  dependencies: dict(z.looseObject({ manager: text, digest: hex64, direct: dict(text) })),
  marks: z.looseObject({ tags: dict(dict(tagSlot)), focus: dict(focus) }),
  degraded: strings,
});

const directoryNode = z.looseObject({
  entries: z.array(
    z.looseObject({
      name: text,
      kind: z.enum(['file', 'directory', 'link', 'submodule']),
      size: count,
      language: z.optional(text),
      oid: z.optional(oid),
      node: z.optional(hex64),
    }),
  ),
});

function check(what: string, schema: z.ZodMiniType, value: unknown): void {
  const result = z.safeParse(schema, value);
  if (result.success) {
    canonical(value);
    return;
  }
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new ProjectAnchorError('invalid', `This is not a ${what}${where}: ${issue?.message ?? 'it does not fit'}.`);
}

/**
 * Checks a snapshot that comes from outside and gives it back untouched.
 * @throws ProjectAnchorError `invalid`, naming the first field that does not fit
 */
export function parseSnapshot(value: unknown): Snapshot {
  check('snapshot', snapshot, value);
  return value as Snapshot;
}

/** The same for an outline. */
export function parseOutline(value: unknown): Outline {
  check('outline', outline, value);
  return value as Outline;
}

/** The same for a directory node. */
export function parseDirectoryNode(value: unknown): DirectoryNode {
  check('directory node', directoryNode, value);
  return value as DirectoryNode;
}
