import { v7 as uuidv7 } from 'uuid';
import type { StateView } from '../../src/delta/index.ts';
import {
  apply,
  type Delta,
  type DeltaDraft,
  emptyState,
  genesis,
  type Head,
  type Op,
  sealDelta,
  stateHash,
} from '../../src/delta/index.ts';
import type { Anchor } from '../../src/snapshot/index.ts';

const AT = '2026-11-30T12:00:00.000Z';

export function testAnchor(name = 'shop'): Anchor {
  const repository = `https://example.invalid/${name}`;
  return { id: `${repository}#main@${AT}`, repository, mainBranch: 'main', attachedAt: AT };
}

export function tagOp(target: string, key: string, value: string): Op {
  return { op: 'add_tag', target, key, value, by: 'user', at: AT, source: 'user' };
}

/** A delta as an author makes it; a new id at every call. */
export function draft(anchor: Anchor, ...ops: readonly Op[]): DeltaDraft {
  return {
    schema: 'projectanchor.delta.v1',
    anchor: anchor.id,
    id: uuidv7(),
    author: { agent: 'test', session: 's1' },
    at: AT,
    ops: ops.length > 0 ? ops : [tagOp('src/a.ts', 'priority', 'high')],
  };
}

/** `count` deltas that follow each other from `from` on, one tag each. */
export function chainOf(anchor: Anchor, count: number, from: Head = genesis(anchor.id), value = 'v'): Delta[] {
  const deltas: Delta[] = [];
  let head = from;
  for (let n = 0; n < count; n++) {
    const delta = sealDelta(draft(anchor, tagOp(`src/${head.seq + 1}.ts`, 'note', `${value}${head.seq + 1}`)), head);
    deltas.push(delta);
    head = { seq: delta.seq, hash: delta.hash };
  }
  return deltas;
}

/** What deltas from the beginning make. */
export function viewOf(anchor: Anchor, deltas: readonly Delta[] = []): StateView {
  const state = deltas.reduce((held, delta) => apply(held, delta), emptyState(anchor.id));
  const last = deltas.at(-1);
  const head = last === undefined ? genesis(anchor.id) : { seq: last.seq, hash: last.hash };
  return { ...head, stateHash: stateHash(state), pending: 0, state };
}
