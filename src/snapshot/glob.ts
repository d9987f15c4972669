/** One character's worth of a pattern; `*` any number of them. */
type Token = '*' | ((character: string) => boolean);

/** A part of a path; `**` any number of parts. */
type Part = '**' | readonly Token[];

/** More alternatives than this are no list of folders. */
const MAX_ALTERNATIVES = 200;

/**
 * Makes a test of paths from a pattern as git and package managers write them: `*` and `?` within a part of a path, `[a-z]`,
 * `**` for any number of parts. It never takes longer than pattern times path: patterns come from any repository, and a
 * regular expression made of one may take forever.
 */
export function globTest(pattern: string): (path: string) => boolean {
  const parts = pattern.split('/').map((part): Part => (part === '**' ? '**' : tokensOf(part)));
  // What ends with `/**` means what is inside, not the folder itself.
  if (parts.at(-1) === '**') parts.push(['*']);
  return (path) => matches(parts, path.split('/'), '**', (part, name) => part !== '**' && fits(part, name));
}

/** The patterns that one with `{a,b}` stands for; itself where it has none, or too many. */
export function alternatives(pattern: string): readonly string[] {
  let done: string[] = [''];
  for (let rest = pattern; rest !== ''; ) {
    const [, before = '', inside] = /^([^{]*)(?:\{([^{}]*)\})?/.exec(rest) ?? [];
    const length = before.length + (inside === undefined ? 0 : inside.length + 2);
    const choices = inside === undefined ? [''] : inside.split(',');
    // A bracket that does not pair stands for itself.
    if (length === 0) return [pattern];
    done = done.flatMap((start) => choices.map((choice) => start + before + choice));
    if (done.length > MAX_ALTERNATIVES) return [pattern];
    rest = rest.slice(length);
  }
  return done;
}

function fits(tokens: readonly Token[], name: string): boolean {
  return matches(tokens, [...name], '*', (token, character) => token !== '*' && token(character));
}

/** Matches with one kind of wildcard, going back to the last one only: what earlier ones took is never too little. */
function matches<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  any: P,
  accepts: (each: P, item: T) => boolean,
): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let taken = 0;
  while (from < text.length) {
    const each = pattern[at];
    const item = text[from];
    if (each === any && each !== undefined) {
      star = at++;
      taken = from;
    } else if (each !== undefined && item !== undefined && accepts(each, item)) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++taken;
    } else return false;
  }
  while (pattern[at] === any) at++;
  return at === pattern.length;
}

function tokensOf(part: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [found] of part.matchAll(/\*+|\?|\\.|\[[!^]?\]?[^\]]*\]|./gsu)) {
    if (found.startsWith('*')) tokens.push('*');
    else if (found === '?') tokens.push(() => true);
    else if (found.startsWith('[') && found.length > 2) tokens.push(classOf(found));
    else {
      const literal = found.length > 1 && found.startsWith('\\') ? found.slice(1) : found;
      tokens.push((character) => character === literal);
    }
  }
  return tokens;
}

/** `[a-z_]` and `[!a-z_]`. */
function classOf(written: string): (character: string) => boolean {
  const inside = written.slice(1, -1);
  const negated = /^[!^]/.test(inside);
  const ranges = [...inside.slice(negated ? 1 : 0).matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, low, high, one = '']) => [low ?? one, high ?? one] as const,
  );
  return (character) => ranges.some(([low, high]) => character >= low && character <= high) !== negated;
}
