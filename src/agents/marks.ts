import { ProjectAnchorError } from '../base/index.ts';
import { machineGate, type Op, type State } from '../delta/index.ts';
import { type OutlineItem, parseTarget, symbolName, targetPath, weight } from '../snapshot/index.ts';
import type { MarkView } from './session-types.ts';

/** Every target that somebody marked (tags that only the program set do not count), heaviest first. */
export function markViews(state: State, nowMs: number, halfLifeDays: number): readonly MarkView[] {
  const tags = state.tags ?? {};
  const focus = state.focus ?? {};
  const views: MarkView[] = [];
  for (const target of new Set([...Object.keys(focus), ...Object.keys(tags)])) {
    const slots = Object.hasOwn(tags, target) ? (tags[target] ?? {}) : {};
    const mark = Object.hasOwn(focus, target) ? (focus[target] ?? null) : null;
    const made = Object.values(slots).flatMap(({ set }) => (set === undefined ? [] : [set]));
    if (mark === null && made.length === 0) continue;
    const weights = [...made, ...(mark === null ? [] : [mark])].map(({ at, pinned }) =>
      weight(at, nowMs, halfLifeDays, pinned === true),
    );
    views.push({ target, focus: mark, tags: slots, weight: Math.max(...weights) });
  }
  return views.sort((a, b) => b.weight - a.weight || (a.target < b.target ? -1 : 1));
}

/** Operations that take a target's focus and the tags set on it away; none when there is nothing. */
export function opsToUnmark(state: State, target: string): Op[] {
  const focus = state.focus ?? {};
  const tags = state.tags ?? {};
  const ops: Op[] = Object.hasOwn(focus, target) ? [{ op: 'remove_focus', target }] : [];
  const slots = Object.hasOwn(tags, target) ? (tags[target] ?? {}) : {};
  for (const [key, { set }] of Object.entries(slots)) {
    if (set !== undefined) ops.push({ op: 'remove_tag', target, key });
  }
  return ops;
}

/** Name, with the names around it, of the smallest item that holds all the lines. */
export function enclosingSymbol(items: readonly OutlineItem[], start: number, end: number): string | undefined {
  const around = items.filter((item) => item.start <= start && item.end >= end);
  const smallest = around.reduce<OutlineItem | undefined>(
    (best, item) => (best === undefined || item.end - item.start <= best.end - best.start ? item : best),
    undefined,
  );
  return smallest === undefined ? undefined : symbolName(smallest);
}

/** The error of a log that will not store a mark, with what the person can do; any other error as it is. */
export function markRefused(error: unknown, ops: readonly Op[]): unknown {
  if (!(error instanceof ProjectAnchorError) || error.code !== 'denied' || error.remedy !== undefined) return error;
  const gate = machineGate();
  const paths = ops.flatMap((op) => ('target' in op ? [targetPath(parseTarget(op.target))] : []));
  const remedy = paths.some((path) => path !== null && !gate.path(path).ok)
    ? 'Mark another file or folder.'
    : 'Leave it out: name where it is kept instead.';
  return new ProjectAnchorError(error.code, error.message, remedy, { cause: error });
}
