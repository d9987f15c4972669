import { messageOf } from '../base/index.ts';
import { createGate, type Gate, parseTarget, targetPath } from '../snapshot/index.ts';
import type { DeltaDraft, Op } from './types.ts';

/** Why a delta may not be stored, as a sentence, or null. */
export type DeltaGate = (draft: DeltaDraft) => string | null;

/** Stands between texts that are judged together: no pattern of a credential reaches across it. */
const APART = '\n\u0000\n';

/**
 * The gate of a log that holds many projects: keys, secrets and their files. What counts as build output each project
 * says for itself, to the gate that its snapshots go through.
 */
export function machineGate(): Gate {
  return createGate({ ignore: '!**' });
}

/** Judges whole deltas by a gate, the log's last word on what may be stored (protocol §9). It fails closed. */
export function gateDeltas(gate: Gate): DeltaGate {
  return ({ ops }) => {
    for (const op of ops) {
      const reason = opRefusal(gate, op);
      if (reason !== null) return reason;
    }
    return null;
  };
}

/** Why one operation may not leave, as a sentence, or null: every path it names and every text it carries is judged. */
export function opRefusal(gate: Gate, op: Op): string | null {
  try {
    const verdicts = [...pathsOf(op).map((path) => gate.path(path)), gate.text(textsIn(op).join(APART))];
    const refused = verdicts.find((verdict) => !verdict.ok);
    return refused === undefined || refused.ok ? null : refused.reason;
  } catch (error) {
    return `This could not be checked, so it stays here: ${messageOf(error)}`;
  }
}

/** The paths an operation tells of. One that takes something away tells nothing new. */
function pathsOf(op: Op): readonly string[] {
  switch (op.op) {
    case 'add_tag':
    case 'add_focus':
    case 'request':
      return pathsOfTarget(op.target);
    case 'update_git':
      return [op.staged, op.unstaged, op.untracked, op.conflicted].flatMap((list) => list ?? []);
    case 'update_active':
      return op.path === null ? [] : [op.path];
    case 'update_outline':
      return [op.path];
    case 'update_files':
      return op.changed;
    case 'update_dependencies':
      return [op.manifest];
    case 'note_commit':
      return op.paths;
    case 'rename_path':
      return [op.to];
    default:
      return [];
  }
}

function pathsOfTarget(target: string): readonly string[] {
  const path = targetPath(parseTarget(target));
  return path === null ? [] : [path];
}

/** Every text in a value, keys included. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) texts.push(...Object.keys(next));
    open.push(...Object.values(next));
  }
  return texts;
}
