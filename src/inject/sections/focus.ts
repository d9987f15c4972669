import { encodePath, focusFor, type Marks, tagsInForce, targetsWithin } from '../../snapshot/index.ts';
import { oneLine } from '../fence.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';
import { tagText, targetText, weightText } from './tag-text.ts';

/** The marks of a project as its state has them. */
export function marksOf({ view }: Scene): Marks {
  return { tags: view.state.tags ?? {}, focus: view.state.focus ?? {} };
}

/** The entry of a map that anybody's text is a key of. */
export function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Focus and tags of the file, of places in it and of the folders above it. */
export function focusSection(scene: Scene): Section {
  const { path, view } = scene;
  if (path === null) return { items: [] };
  const marks = marksOf(scene);
  const { halfLifeDays } = view.settings;
  const file = encodePath(path);
  const items: Item[] = [];
  const add = (kind: 'focus' | 'tags', target: string, text: string, why: string) =>
    items.push({ kind, ref: target, why, text: `  ${text}`, rank: Rank.focus, core: true, paths: [] });

  for (const { target, focus, inherited, weight } of focusFor(marks, path, view.now, halfLifeDays)) {
    if (target === file)
      add('focus', target, 'marked as context focus', `marked by ${focus.by}, ${weightText(weight)}`);
    else if (inherited) {
      const where = targetText(target);
      add(
        'focus',
        target,
        `within a context focus: ${where}`,
        `inherited, marked by ${focus.by}, ${weightText(weight)}`,
      );
    } else {
      add(
        'focus',
        target,
        `${placeIn(target, focus.symbol)} is a context focus`,
        `marked by ${focus.by}, ${weightText(weight)}`,
      );
    }
  }
  for (const tag of tagsInForce(marks, path, view.now, halfLifeDays)) {
    const from = tag.inherited ? ` (from ${targetText(tag.target)})` : '';
    const why = `${tag.key}: ${tag.inherited ? 'inherited' : 'its own'}, set by ${tag.by}, ${weightText(tag.weight)}`;
    add('tags', tag.target, `${tagText(tag.key, tag.value)}${from}`, why);
  }
  for (const target of targetsWithin(marks, path)) {
    for (const [key, { set, auto }] of Object.entries(own(marks.tags, target) ?? {}).sort(byKey)) {
      const value = set ?? auto;
      if (value === undefined) continue;
      const where = placeIn(target, own(marks.focus, target)?.symbol);
      add(
        'tags',
        target,
        `${where}: ${tagText(key, value.value)}`,
        `${key}: on a place in this file, set by ${value.by}`,
      );
    }
  }
  return { heading: `Focus and tags of ${oneLine(file)}:`, items };
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** A marked place in words; the symbol says more than line numbers, which move. */
function placeIn(target: string, symbol: string | undefined): string {
  const fragment = target.slice(target.indexOf('#') + 1);
  if (fragment.startsWith('sym:')) return oneLine(fragment.slice(4));
  const lines = `lines ${oneLine(fragment.replaceAll('L', ''))}`;
  return symbol === undefined ? lines : `${lines} in ${oneLine(symbol)}`;
}
