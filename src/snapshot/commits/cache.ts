import { LRUCache } from 'lru-cache';

/**
 * Keeps what was worked out, as JSON text under a kind and a key. Whatever it forgets is worked out again. A format that
 * changes gets another kind.
 */
export interface IndexCache {
  get(kind: string, key: string): string | undefined;
  put(kind: string, key: string, json: string): void;
  /** Runs `work`; what it puts is kept at once, which is faster. */
  batch(work: () => void): void;
}

/** Entries of a cache in memory: a year of commits in a busy project. */
const MAX_ENTRIES = 20_000;

/** A cache that lives as long as the process. */
export function memoryCache(): IndexCache {
  const entries = new LRUCache<string, string>({ max: MAX_ENTRIES });
  const at = (kind: string, key: string) => `${kind}\0${key}`;
  return {
    get: (kind, key) => entries.get(at(kind, key)),
    put: (kind, key, json) => void entries.set(at(kind, key), json),
    batch: (work) => work(),
  };
}

/** A kept value, or undefined when there is none or it is not readable any more. */
export function kept<T>(cache: IndexCache, kind: string, key: string): T | undefined {
  const json = cache.get(kind, key);
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as T;
  } catch (error) {
    // A damaged entry is one that was never made.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
