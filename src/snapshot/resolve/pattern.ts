import { alternatives, globTest } from '../glob.ts';

/** A key that fits, and what its `*` stands for; empty where it has none. */
export interface PatternMatch {
  readonly key: string;
  readonly star: string;
}

/**
 * The key that fits a module best, as TypeScript's `paths` and Node's `exports` and `imports` choose it: the module itself,
 * else the pattern with the longest part before its `*`.
 */
export function patternMatch(keys: Iterable<string>, module: string): PatternMatch | null {
  let best: (PatternMatch & { readonly length: number }) | null = null;
  for (const key of keys) {
    if (key === module) return { key, star: '' };
    const at = key.indexOf('*');
    if (at < 0) continue;
    const after = key.slice(at + 1);
    const fits = module.length >= key.length - 1 && module.startsWith(key.slice(0, at)) && module.endsWith(after);
    if (!fits) continue;
    if (best === null || at > best.length) {
      best = { key, star: module.slice(at, module.length - after.length), length: at };
    }
  }
  return best;
}

/**
 * Makes a test of whether a folder is one of those that a list of workspaces names: `*` is one part of a path, `**` any
 * number of them, `{a,b}` one of several; an entry with `!` takes folders out again.
 */
export function memberTest(patterns: readonly string[]): (folder: string) => boolean {
  const entries = patterns.slice(0, MAX_PATTERNS).map((pattern) => {
    const negated = pattern.startsWith('!');
    const bare = pattern
      .slice(negated ? 1 : 0)
      .replace(/^\.\//, '')
      .replace(/\/+$/, '');
    return { negated, tests: alternatives(bare).map(globTest) };
  });
  return (folder) => {
    let member = false;
    for (const { negated, tests } of entries) if (tests.some((test) => test(folder))) member = !negated;
    return member;
  };
}

/** Lists of workspaces are kept by hand. */
const MAX_PATTERNS = 500;
