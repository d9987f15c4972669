/**
 * Maps of the state are plain objects whose keys come from outside: a target may be named `__proto__` or `constructor`.
 * They are made without a prototype and read through `own`, so that such a name is a key like any other.
 */
export type Dict<T> = Readonly<Record<string, T>>;

/** The same while it is being made. */
export type MutableDict<T> = Record<string, T>;

/** A map without a prototype and without entries. */
export function emptyDict<T>(): MutableDict<T> {
  return Object.create(null) as MutableDict<T>;
}

/** A copy that may be changed, without a prototype. */
export function copyDict<T>(from: Dict<T> | undefined): MutableDict<T> {
  return Object.assign(emptyDict<T>(), from);
}

/** A map of these entries, the last one of a key counting. */
export function dictOf<T>(entries: Iterable<readonly [string, T]>): MutableDict<T> {
  const made = emptyDict<T>();
  for (const [key, value] of entries) made[key] = value;
  return made;
}

/** What a map holds under a key; never anything inherited. */
export function own<T>(map: Dict<T> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Whether a map has no entries; such maps are left out of states. */
export function isEmpty(map: object): boolean {
  for (const key in map) if (Object.hasOwn(map, key)) return false;
  return true;
}

/** Whether two JSON values have the same canonical form: absent members and prototypes do not count. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => same(item, b[index]));
  }
  const left = present(a);
  const right = present(b);
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && same(value, own(b as Dict<unknown>, key)))
  );
}

function present(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** A copy with one entry more, or another one under that key. */
export function withEntry<T>(map: Dict<T> | undefined, key: string, value: T): Dict<T> {
  const copy = copyDict(map);
  copy[key] = value;
  return copy;
}

/** A copy without one entry. */
export function withoutEntry<T>(map: Dict<T> | undefined, key: string): Dict<T> {
  const copy = copyDict(map);
  delete copy[key];
  return copy;
}
