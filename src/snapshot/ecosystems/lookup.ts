/** Picks the first candidate that is among the names. */
export function firstOf(candidates: Iterable<string>, names: readonly string[]): string | undefined {
  for (const candidate of candidates) if (names.includes(candidate)) return candidate;
  return undefined;
}

/** The same where several spellings are one name. */
export function firstFolded(
  candidates: Iterable<string>,
  names: readonly string[],
  fold: (name: string) => string,
): string | undefined {
  const byFold = new Map(names.map((name) => [fold(name), name]));
  for (const candidate of candidates) {
    const name = byFold.get(fold(candidate));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The longest name that a module begins with, at a boundary. */
export function longestPrefix(module: string, names: readonly string[], boundary: string): string | undefined {
  let best: string | undefined;
  for (const name of names) {
    const fits = module === name || module.startsWith(name + boundary);
    if (fits && name.length > (best?.length ?? 0)) best = name;
  }
  return best;
}

/** Names of the parts of a dotted module, longest first: `a.b.c`, `a.b`, `a`, joined in another way. */
export function shortening(module: string, separator: string, join: string): readonly string[] {
  const parts = module.split(separator);
  return parts.map((_, at) => parts.slice(0, parts.length - at).join(join));
}
