import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { Follower, type FollowerSource } from '../../../src/delta/follower.ts';
import { type Delta, type DeltaBatch, sealDelta } from '../../../src/delta/index.ts';
import { chainOf, draft, testAnchor, viewOf } from '../../support/deltas.ts';

const anchor = testAnchor();

/** A source whose chain a test can change. */
class Source implements FollowerSource {
  chain: readonly Delta[];
  reads = 0;

  constructor(chain: readonly Delta[]) {
    this.chain = chain;
  }

  async read(_anchor: string, after: number, limit: number) {
    this.reads++;
    return this.chain.slice(after, after + Math.min(limit, 3));
  }

  async state() {
    return viewOf(anchor, this.chain);
  }
}

function followed(chain: readonly Delta[], start = 0) {
  const source = new Source(chain);
  const follower = new Follower(viewOf(anchor, chain.slice(0, start)), source, silentLogger());
  const batches: DeltaBatch[] = [];
  const mismatches: string[] = [];
  follower.onDeltas((batch) => batches.push(batch));
  follower.onMismatch((reason) => mismatches.push(reason));
  const seqs = () => batches.flatMap(({ items }) => items.map(({ seq }) => seq));
  return { source, follower, batches, mismatches, seqs };
}

describe('a follower', () => {
  it('applies what follows, as one batch, and agrees with the log on seq, hash and stateHash', async () => {
    const chain = chainOf(anchor, 4);
    const { follower, batches } = followed(chain);
    expect(await follower.take(chain)).toBe('followed');
    expect(follower.view(0)).toEqual(viewOf(anchor, chain));
    expect(batches).toEqual([{ anchor: anchor.id, items: chain, head: { seq: 4, hash: chain[3]?.hash } }]);
  });

  it('ignores duplicates, alone and among others', async () => {
    const chain = chainOf(anchor, 4);
    const { follower, seqs, mismatches } = followed(chain);
    await follower.take(chain.slice(0, 2));
    await follower.take(chain.slice(0, 2));
    await follower.take(chain.slice(1, 4));
    expect(seqs()).toEqual([1, 2, 3, 4]);
    expect(mismatches).toEqual([]);
  });

  it('fetches a gap before it applies what came', async () => {
    const chain = chainOf(anchor, 10);
    const { follower, seqs, source } = followed(chain, 1);
    await follower.take(chain.slice(8, 9));
    // The source gives whole pages; what comes along is no reason to ask again.
    expect(seqs()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(source.reads).toBeGreaterThan(1);
  });

  it('leaves what is above a gap that nobody can fill yet', async () => {
    const chain = chainOf(anchor, 5);
    const { follower, source, seqs } = followed(chain.slice(0, 2));
    expect(await follower.take(chain.slice(4))).toBe('followed');
    expect(seqs()).toEqual([1, 2]);
    source.chain = chain;
    await follower.take(chain.slice(4));
    expect(follower.head.seq).toBe(5);
  });

  it.each([
    ['a changed operation', (delta: Delta) => ({ ...delta, at: '2026-11-30T13:00:00.000Z' })],
    ['another hash', (delta: Delta) => ({ ...delta, hash: 'ab'.repeat(32) })],
    ['another prev', (delta: Delta) => ({ ...delta, prev: 'ab'.repeat(32) })],
    ['another anchor', (delta: Delta) => ({ ...delta, anchor: 'someone else' })],
  ])('never applies a delta with %s, says so, and goes on from its source', async (_what, spoil) => {
    const chain = chainOf(anchor, 3);
    const { follower, mismatches, seqs } = followed(chain, 1);
    const spoiled = chain.slice(1, 2).map(spoil);
    expect(await follower.take(spoiled)).toBe('resynced');
    expect(mismatches).toHaveLength(1);
    expect(seqs()).toEqual([2, 3]);
    expect(follower.view(0)).toEqual(viewOf(anchor, chain));
  });

  it('never applies a delta that is well made but of another chain', async () => {
    const chain = chainOf(anchor, 2);
    const other = chainOf(anchor, 3, undefined, 'other');
    const { follower, mismatches } = followed(chain, 2);
    expect(await follower.take(other.slice(2))).toBe('resynced');
    expect(mismatches).toHaveLength(1);
    expect(follower.view(0)).toEqual(viewOf(anchor, chain));
  });

  it('sees a fork below its head, remembered or not', async () => {
    const chain = chainOf(anchor, 4);
    const other = chainOf(anchor, 2, undefined, 'other');
    const fresh = followed(chain, 4);
    expect(await fresh.follower.take(other.slice(1))).toBe('resynced');
    const grown = followed(chain, 0);
    await grown.follower.take(chain);
    expect(await grown.follower.take(other.slice(1))).toBe('resynced');
    expect(grown.follower.head.seq).toBe(4);
  });

  it('takes the chain of its source when its own place is not in there any more', async () => {
    const chain = chainOf(anchor, 3);
    const other = chainOf(anchor, 2, undefined, 'other');
    const { follower, source } = followed(chain, 3);
    source.chain = other;
    expect(await follower.doubt('the hub does not know it')).toBe('resynced');
    expect(follower.view(0)).toEqual(viewOf(anchor, other));
  });

  it('stops at a delta of its source that does not verify', async () => {
    const chain = chainOf(anchor, 4);
    const damaged = chain.map((delta) => (delta.seq === 3 ? { ...delta, at: '2026-11-30T13:00:00.000Z' } : delta));
    const { follower } = followed(damaged);
    await follower.catchUp();
    expect(follower.head.seq).toBe(2);
    expect(follower.stopped?.code).toBe('chain_broken');
    expect(follower.view(0).stopped?.message).toContain('verify');
    expect(await follower.take(chain)).toBe('followed');
    expect(follower.head.seq).toBe(2);
  });

  it('stops, read-only, at an operation that only a newer version knows', async () => {
    const [first] = chainOf(anchor, 1);
    if (first === undefined) throw new Error('no chain');
    const chain = [first, sealDelta(draft(anchor, { op: 'dance' } as never), first)];
    const { follower, seqs } = followed(chain);
    await follower.take(chain);
    expect(seqs()).toEqual([1]);
    expect(follower.stopped?.message).toContain('Update ProjectAnchor');
  });

  it('serves calls one after the other, however they are mixed', async () => {
    const chain = chainOf(anchor, 12);
    const slices = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(slices, async (cuts) => {
        const { follower, seqs, mismatches } = followed(chain);
        await Promise.all(cuts.map(([from, to]) => follower.take(chain.slice(Math.min(from, to), Math.max(from, to)))));
        await follower.catchUp();
        expect(seqs()).toEqual(chain.map(({ seq }) => seq));
        expect(mismatches).toEqual([]);
        expect(follower.view(0)).toEqual(viewOf(anchor, chain));
      }),
      { numRuns: 20 },
    );
  });

  it('fetches one gap once, however many pushes are above it', async () => {
    const chain = chainOf(anchor, 9);
    const { follower, source } = followed(chain);
    await Promise.all([7, 8, 9].map((seq) => follower.take(chain.slice(seq - 1, seq))));
    expect(follower.head.seq).toBe(9);
    expect(source.reads).toBe(2);
  });

  it('goes on after its source failed', async () => {
    const chain = chainOf(anchor, 3);
    const { follower, source } = followed(chain);
    const read = source.read.bind(source);
    source.read = async () => {
      throw new Error('busy');
    };
    await expect(follower.catchUp()).rejects.toThrow('busy');
    source.read = read;
    await follower.catchUp();
    expect(follower.head.seq).toBe(3);
  });
});
