import { hash, hashing } from '../base/index.ts';
import type { Delta, DeltaDraft, Head } from './types.ts';

/** What the first delta of an anchor has as its `prev` (protocol §5). */
export function genesisHash(anchor: string): string {
  return hash({ anchor, schema: 'projectanchor.genesis.v1' });
}

/** The place before the first delta. */
export function genesis(anchor: string): Head {
  return { seq: 0, hash: genesisHash(anchor) };
}

/** The hash of a delta: over everything it carries but `hash` itself, unknown fields included. */
export function deltaHash(delta: Omit<Delta, 'hash'>): string {
  return hash({ ...delta, hash: undefined });
}

/** The delta that a draft becomes when it is appended after `head`. */
export function sealDelta(draft: DeltaDraft, head: Head): Delta {
  const numbered = { ...draft, seq: head.seq + 1, prev: head.hash };
  return { ...numbered, hash: deltaHash(numbered) };
}

/**
 * How a delta stands to a head:
 * `next` follows it; `duplicate` is the head itself; `old` is below it; `gap` is above, with others missing between;
 * `fork` claims a place that another delta has; `broken` does not have the hash it says, or is another anchor's.
 */
export type Link =
  | { readonly kind: 'next' | 'duplicate' | 'old' | 'gap' }
  | { readonly kind: 'fork' | 'broken'; readonly reason: string };

/** Recomputes the hash of a delta and compares its place with a head of the same anchor. */
export function checkLink(anchor: string, head: Head, delta: Delta): Link {
  return linkOf(anchor, head, delta, deltaHash(delta));
}

/** The same in steps of less than a millisecond, so that others can have a turn between them. */
export function* checkingLink(anchor: string, head: Head, delta: Delta): Generator<void, Link> {
  return linkOf(anchor, head, delta, yield* hashing({ ...delta, hash: undefined }));
}

function linkOf(anchor: string, head: Head, delta: Delta, recomputed: string): Link {
  if (delta.anchor !== anchor) return { kind: 'broken', reason: `delta ${delta.seq} belongs to another anchor` };
  if (recomputed !== delta.hash) {
    return { kind: 'broken', reason: `delta ${delta.seq} does not have the hash it says` };
  }
  if (delta.seq < head.seq) return { kind: 'old' };
  if (delta.seq === head.seq) {
    if (delta.hash === head.hash) return { kind: 'duplicate' };
    return { kind: 'fork', reason: `there is another delta ${delta.seq}` };
  }
  if (delta.seq > head.seq + 1) return { kind: 'gap' };
  if (delta.prev === head.hash) return { kind: 'next' };
  return { kind: 'fork', reason: `delta ${delta.seq} follows another delta ${head.seq}` };
}
