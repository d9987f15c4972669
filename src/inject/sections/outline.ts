import { encodePath, type Outline, type OutlineItem, symbolName } from '../../snapshot/index.ts';
import { oneLine } from '../fence.ts';
import type { ProjectView } from '../types.ts';
import { codeText } from './code-text.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';

/** The file's outline on the text as it is now, else the last one in the state. */
export function outlineOf(view: ProjectView, path: string | null): Outline | null {
  if (view.facts !== null && view.facts.outline !== null) return view.facts.outline;
  const outlines = path === null ? undefined : view.state.workspaces?.[view.workspace]?.outlines;
  return path !== null && outlines !== undefined && Object.hasOwn(outlines, path) ? (outlines[path] ?? null) : null;
}

/** The smallest item around a line, or null. */
export function enclosing(outline: Outline, line: number | null): OutlineItem | null {
  if (line === null) return null;
  return outline.items
    .filter(({ start, end }) => start <= line && line <= end)
    .reduce<OutlineItem | null>(
      (best, item) => (best === null || item.end - item.start <= best.end - best.start ? item : best),
      null,
    );
}

/** What else is in the file, the symbol around the cursor first; nothing that is in sight anyway. */
export function outlineSection(scene: Scene): Section {
  const { path, line, numbered } = scene;
  const outline = outlineOf(scene.view, path);
  if (path === null || outline === null) return { items: [] };
  const around = enclosing(outline, line);
  const holding = around === null ? [] : [around, ...holdersOf(outline, around)];
  const others = outline.items.filter((item) => !holding.includes(item));
  return {
    heading: `Outline of ${oneLine(encodePath(path))}${outline.stale ? ' (as it last parsed)' : ''}:`,
    items: [
      ...(around === null ? [] : [whereItem(around, path, numbered)]),
      ...holding.map((item) => itemOf(item, path, true, scene)),
      ...others.map((item) => itemOf(item, path, false, scene)),
    ],
  };
}

/** The items that hold an item, inner first. */
function holdersOf(outline: Outline, { of }: OutlineItem): OutlineItem[] {
  if (of === undefined) return [];
  const holder = outline.items.find((item) => symbolName(item) === of);
  return holder === undefined ? [] : [holder, ...holdersOf(outline, holder)];
}

function whereItem(item: OutlineItem, path: string, numbered: boolean): Item {
  const what = numbered ? 'selection' : 'cursor';
  return {
    kind: 'outline',
    ref: refOf(item, path),
    why: `the ${what} is in it`,
    text: `  the ${what} is in ${item.kind} ${oneLine(symbolName(item))}`,
    rank: Rank.enclosing,
    core: true,
    paths: [path],
  };
}

function refOf(item: OutlineItem, path: string): string {
  return `${encodePath(path)}#sym:${encodePath(symbolName(item))}`;
}

function itemOf(item: OutlineItem, path: string, around: boolean, { numbered, open }: Scene): Item {
  const lines = numbered ? ` (lines ${item.start}-${item.end})` : '';
  return {
    kind: 'outline',
    ref: refOf(item, path),
    why: around ? 'around the cursor' : 'in the same file',
    text: `  ${item.of === undefined ? '' : `${oneLine(item.of)}: `}${codeText(item)}${lines}`,
    inSight: () => (item.signature === undefined ? open.covers(item.start) : open.has(item.signature)),
    rank: around ? Rank.enclosing : item.exported ? Rank.outline : Rank.outline + 1,
    core: around,
    paths: [path],
  };
}
