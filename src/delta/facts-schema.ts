import * as z from 'zod/mini';
import { dictOf } from './dict.ts';

/**
 * The parts of deltas and states that protocol §3 and §4 define, as schemas. They say what is well formed and drop
 * fields that version 1 does not know; how much is too much is in `limits.ts`.
 */

export const count = z.int().check(z.minimum(0));
export const hex64 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
export const time = z
  .string()
  .check(z.refine((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))));

/** zod's own records drop a key named `__proto__`; here it is a key like any other. */
export function dict<T extends z.ZodMiniType>(values: T) {
  return z.pipe(
    z.custom<Record<string, unknown>>((v) => typeof v === 'object' && v !== null && !Array.isArray(v), 'not a map'),
    z.transform((raw, context) => {
      const entries: [string, z.output<T>][] = [];
      for (const [key, value] of Object.entries(raw)) {
        const parsed = z.safeParse(values, value);
        if (parsed.success) entries.push([key, parsed.data]);
        else
          for (const issue of parsed.error.issues)
            context.issues.push({ ...issue, path: [key, ...issue.path], input: value, continue: true } as never);
      }
      return dictOf(entries) as Readonly<Record<string, z.output<T>>>;
    }),
  );
}

const strings = z.readonly(z.array(z.string()));

export const tagValue = z.object({
  value: z.string(),
  by: z.string(),
  at: time,
  source: z.enum(['user', 'agent', 'auto']),
  pinned: z.exactOptional(z.literal(true)),
});

export const focus = z.object({
  by: z.string(),
  at: time,
  pinned: z.exactOptional(z.literal(true)),
  symbol: z.exactOptional(z.string()),
  linesHash: z.exactOptional(z.string()),
});

const commitInfo = z.object({ commit: z.string(), subject: z.string(), at: time, kinds: strings });

/** The fields of GitState, each alone: `update_git` carries any of them. */
export const gitFields = {
  head: z.object({
    kind: z.enum(['branch', 'detached', 'unborn', 'none']),
    branch: z.exactOptional(z.string()),
    commit: z.exactOptional(z.string()),
  }),
  upstream: z.object({ name: z.string(), ahead: count, behind: count }),
  staged: strings,
  stagedMore: count,
  unstaged: strings,
  unstagedMore: count,
  untracked: strings,
  untrackedMore: count,
  conflicted: strings,
  conflictedMore: count,
  operation: z.enum(['merge', 'rebase', 'cherry-pick', 'revert', 'bisect']),
  history: z.string(),
  bounded: z.literal(true),
  lastCommit: commitInfo,
  submodules: z.readonly(z.array(z.object({ path: z.string(), commit: z.string(), dirty: z.boolean() }))),
};

export const fileView = {
  count,
  bytes: count,
  byLanguage: dict(count),
  tree: z.string(),
  truncated: z.exactOptional(z.literal(true)),
};

const outlineItem = z.object({
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
  name: z.string(),
  start: count,
  end: count,
  signature: z.exactOptional(z.string()),
  exported: z.exactOptional(z.literal(true)),
  of: z.exactOptional(z.string()),
});

export const outline = z.object({
  language: z.string(),
  lines: count,
  stale: z.exactOptional(z.literal(true)),
  items: z.readonly(z.array(outlineItem)),
  more: z.exactOptional(count),
});

export const dependencies = { manager: z.string(), digest: z.string(), direct: dict(z.string()) };

export const commitRecord = {
  commit: z.string(),
  kinds: strings,
  paths: strings,
  more: z.exactOptional(count),
};
