import { ProjectAnchorError } from '../base/index.ts';
import type { TagSlot } from '../snapshot/index.ts';
import { type Dict, dictOf, own, same } from './dict.ts';
import { mapOps, stepsBetween } from './diff-workspace.ts';
import { MAX_REQUESTS } from './limits.ts';
import type { Op, RequestRecord, State } from './types.ts';

/**
 * Operations that turn one state of an anchor into another: `apply(s, diff(s, t)) = t`, and `diff(s, s)` is empty.
 * Their number is not limited; `splitOps` cuts them into deltas.
 * @throws ProjectAnchorError `invalid` where no operations can: another anchor, an alias or an unfinished request that
 *   `to` does not know, for those are never taken back.
 */
export function diff(from: State, to: State): readonly Op[] {
  if (from.anchor !== to.anchor) throw unrelated('they belong to different anchors');
  return [
    ...aliasOps(from.aliases ?? [], to.aliases ?? []),
    ...tagOps(from.tags, to.tags),
    ...mapOps(from.focus, to.focus, {
      set: (target, focus) => ({ op: 'add_focus', target, ...focus }),
      remove: (target) => ({ op: 'remove_focus', target }),
    }),
    ...requestOps(from.requests, to.requests),
    ...workspaceOps(from.workspaces, to.workspaces),
  ];
}

function aliasOps(from: readonly string[], to: readonly string[]): readonly Op[] {
  const lost = from.find((id) => !to.includes(id));
  if (lost !== undefined) throw unrelated('an alias is missing');
  return to.filter((id) => !from.includes(id)).map((id) => ({ op: 'add_alias', id }));
}

function tagOps(from: State['tags'], to: State['tags']): readonly Op[] {
  const targets = new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})]);
  return [...targets].flatMap((target) => {
    const before = own(from, target);
    const after = own(to, target);
    return [
      ...mapOps(slotsOf(before, 'set'), slotsOf(after, 'set'), {
        set: (key, value) => ({ op: 'add_tag', target, key, ...value }),
        remove: (key) => ({ op: 'remove_tag', target, key }),
      }),
      ...mapOps(slotsOf(before, 'auto'), slotsOf(after, 'auto'), {
        set: (key, value) => ({ op: 'add_tag', target, key, ...value }),
        remove: (key) => ({ op: 'remove_tag', target, key, auto: true }),
      }),
    ];
  });
}

function slotsOf<S extends keyof TagSlot>(tags: Dict<TagSlot> | undefined, slot: S): Dict<NonNullable<TagSlot[S]>> {
  const entries = Object.entries(tags ?? {}).flatMap(([key, slots]) => {
    const value = slots[slot];
    return value === undefined ? [] : [[key, value] as const];
  });
  return dictOf(entries);
}

function requestOps(from: State['requests'], to: State['requests']): readonly Op[] {
  const ids = new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})]);
  const kept = [...ids].sort().slice(-MAX_REQUESTS);
  if (!kept.every((id) => own(to, id) !== undefined)) throw unrelated('a request is missing');
  return Object.entries(to ?? {}).flatMap(([id, after]) => requestSteps(id, own(from, id), after));
}

function requestSteps(id: string, before: RequestRecord | undefined, after: RequestRecord): readonly Op[] {
  const { result, ...asked } = after;
  const { result: formerResult, ...formerAsked } = before ?? {};
  const anew = !same(formerAsked, asked) || (formerResult !== undefined && result === undefined);
  const resolve: readonly Op[] =
    result !== undefined && (anew || result !== formerResult) ? [{ op: 'resolve_request', id, result }] : [];
  return anew ? [{ op: 'request', id, ...asked }, ...resolve] : resolve;
}

function workspaceOps(from: State['workspaces'], to: State['workspaces']): readonly Op[] {
  const removed = Object.keys(from ?? {}).filter((workspace) => own(to, workspace) === undefined);
  return [
    ...removed.map((workspace): Op => ({ op: 'remove_workspace', workspace })),
    ...Object.entries(to ?? {}).flatMap(([workspace, after]): readonly Op[] => {
      const steps = stepsBetween(workspace, own(from, workspace) ?? {}, after);
      if (steps !== undefined) return steps;
      const anew = stepsBetween(workspace, {}, after) ?? [];
      return [{ op: 'remove_workspace', workspace }, ...anew];
    }),
  ];
}

function unrelated(why: string): ProjectAnchorError {
  return new ProjectAnchorError('invalid', `These two states are not of one history: ${why}.`);
}
