import { codeOf } from '../../base/index.ts';
import {
  type Focus,
  parseTarget,
  type TagSlot,
  targetPath,
  targetsAbove,
  targetsWithin,
  weight,
} from '../../snapshot/index.ts';
import { marksOf, own } from './focus.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';
import { tagText, targetText, weightText } from './tag-text.ts';

/** Marks elsewhere in the project that are offered at all, heaviest first. */
const MOST = 50;

interface Mark {
  readonly target: string;
  readonly focus: Focus | undefined;
  readonly tags: readonly (readonly [key: string, slot: TagSlot])[];
  readonly weight: number;
}

/** What people and agents marked elsewhere in the project. */
export function marksSection(scene: Scene): Section {
  const shown = new Set([
    ...(scene.path === null ? [] : targetsAbove(scene.path)),
    ...(scene.path === null ? [] : targetsWithin(marksOf(scene), scene.path)),
  ]);
  const items = allMarks(scene)
    .filter(({ target }) => !shown.has(target))
    .slice(0, MOST)
    .flatMap(itemsOf);
  return { heading: 'Other marks in this project:', items };
}

function allMarks(scene: Scene): Mark[] {
  const marks = marksOf(scene);
  const { now, settings } = scene.view;
  const weigh = (at: string, pinned: true | undefined) => weight(at, now, settings.halfLifeDays, pinned === true);
  return [...new Set([...Object.keys(marks.focus), ...Object.keys(marks.tags)])]
    .flatMap((target) => {
      const focus = own(marks.focus, target);
      const tags = Object.entries(own(marks.tags, target) ?? {})
        .filter(([, { set }]) => set !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      if (focus === undefined && tags.length === 0) return [];
      const weights = tags.flatMap(([, { set }]) => (set === undefined ? [] : [weigh(set.at, set.pinned)]));
      if (focus !== undefined) weights.push(weigh(focus.at, focus.pinned));
      return [{ target, focus, tags, weight: Math.max(...weights) }];
    })
    .sort((a, b) => b.weight - a.weight || (a.target < b.target ? -1 : 1));
}

/** Nothing for a target that is not one: whoever wrote it, what it is on cannot be checked. */
function itemsOf({ target, focus, tags, weight: faded }: Mark): Item[] {
  const path = pathOf(target);
  if (path === undefined) return [];
  const says = [
    ...(focus === undefined ? [] : ['context focus']),
    ...tags.flatMap(([key, { set }]) => (set === undefined ? [] : [tagText(key, set.value)])),
  ];
  return [
    {
      kind: 'mark',
      ref: target,
      why: `marked elsewhere in the project, ${weightText(faded)}`,
      text: `  on ${targetText(target)}: ${says.join('; ')}`,
      rank: Rank.marks,
      core: false,
      paths: path === null ? [] : [path],
    },
  ];
}

function pathOf(target: string): string | null | undefined {
  try {
    return targetPath(parseTarget(target));
  } catch (error) {
    if (codeOf(error) === 'invalid') return undefined;
    throw error;
  }
}
