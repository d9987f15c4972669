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
 * Whether a folder is one of those that a list of workspaces names: `*` is one part of a path, `**` any number of them,
 * `{a,b}` one of several; an entry with `!` takes folders out again.
 */
export function isMember(patterns: readonly string[], folder: string): boolean {
  let member = false;
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!');
    if (globOf(negated ? pattern.slice(1) : pattern).test(folder)) member = !negated;
  }
  return member;
}

function globOf(pattern: string): RegExp {
  const source = pattern
    .replace(/^\.\//, '')
    .replace(/\/+$/, '')
    .replace(/\*\*\/?|\*|\?|[{},]|[^\w/]/g, (special) => {
      switch (special) {
        case '**/':
          return '(?:.*/)?';
        case '**':
          return '.*';
        case '*':
          return '[^/]*';
        case '?':
          return '[^/]';
        case '{':
          return '(?:';
        case '}':
          return ')';
        case ',':
          return '|';
        default:
          return `\\${special}`;
      }
    });
  try {
    return new RegExp(`^(?:${source})$`);
  } catch (error) {
    // Brackets that do not pair name no folder.
    if (error instanceof SyntaxError) return /^(?!)/;
    throw error;
  }
}
