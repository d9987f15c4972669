import { canonical, hash as hashOf, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { DeltaRow } from '../store/index.ts';
import type { Delta } from './types.ts';

/** How a delta lies in the store: what the log assigned stands in columns, what its author wrote in `body`. */
export function toRow(delta: Delta): DeltaRow {
  const { seq, prev, hash, ...draft } = delta;
  return { seq, id: delta.id, prev, hash, body: canonical(draft), repeats: outlinesIn(delta) };
}

/** Hashes of the outlines of a delta: the snapshot that it leads to has stored them as objects. */
function outlinesIn({ ops }: Delta): readonly string[] {
  return ops.flatMap((op) => (op.op === 'update_outline' ? [hashOf(op.outline)] : []));
}

/**
 * The delta of a row, as it was appended. Its hash is not recomputed here.
 * @throws ProjectAnchorError `chain_broken` when the row cannot be a delta.
 */
export function fromRow(row: DeltaRow): Delta {
  const draft = parseBody(row);
  if (typeof draft !== 'object' || draft === null || !('id' in draft) || draft.id !== row.id) {
    throw new ProjectAnchorError('chain_broken', `Delta ${row.seq} does not hold what its row says.`);
  }
  return { ...(draft as Delta), seq: row.seq, prev: row.prev, hash: row.hash };
}

function parseBody(row: DeltaRow): unknown {
  try {
    return JSON.parse(row.body);
  } catch (error) {
    throw new ProjectAnchorError('chain_broken', `Delta ${row.seq} is not JSON (${messageOf(error)}).`, undefined, {
      cause: error,
    });
  }
}
