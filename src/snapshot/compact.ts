import { ProjectAnchorError } from '../base/index.ts';
import { rankOf } from './outline-limit.ts';
import { parseTarget, targetPath } from './targets.ts';
import { compareBytes } from './tree.ts';
import type {
  CommitInfo,
  Dependencies,
  FileView,
  FocusMap,
  GitState,
  Outline,
  OutlineItem,
  Snapshot,
  TagSlot,
  Tags,
} from './types.ts';

/** UTF-8 bytes of the JSON of a compact snapshot (protocol §3): what it aims at, and what it never passes. */
export const COMPACT_AIM = 1_228;
export const COMPACT_MAX = 2_048;

/**
 * The compact form of a snapshot for the wire and for prompts (protocol §3): outlines of the active and focused files
 * only, lists cut to what fits. `more`, `*More`: how many are not here; of tags, only the value in force is. Where room is
 * short, hashes other than the snapshot's own id are left out as well: by that id all of them are found.
 */
export interface CompactSnapshot extends Omit<Snapshot, 'parent' | 'git' | 'files' | 'dependencies'> {
  readonly parent?: string | null;
  readonly git: Omit<GitState, 'history' | 'lastCommit'> & {
    readonly history?: string;
    readonly lastCommit?: Omit<CommitInfo, 'commit'> & { readonly commit?: string };
    readonly submodulesMore?: number;
  };
  readonly files: Omit<FileView, 'tree'> & { readonly tree?: string; readonly languagesMore?: number };
  readonly outlinesMore?: number;
  readonly dependencies: Readonly<
    Record<string, Omit<Dependencies, 'digest'> & { readonly digest?: string; readonly directMore?: number }>
  >;
  readonly dependenciesMore?: number;
  readonly marks: Snapshot['marks'] & { readonly tagsMore?: number; readonly focusMore?: number };
  readonly degradedMore?: number;
}

const LISTS = ['staged', 'unstaged', 'untracked', 'conflicted'] as const;

/** How much of everything one attempt keeps. */
interface Caps {
  /** Whether hashes other than the id stay. */
  readonly hashes: boolean;
  readonly list: number;
  readonly outlines: number;
  readonly items: number;
  readonly signatures: boolean;
  readonly manifests: number;
  readonly direct: number;
  readonly focus: number;
  readonly tags: number;
  /** Code points of any text. */
  readonly text: number;
}

/** More than that is no compact form, whatever room there is. */
const ROOMY: Caps = {
  ...{ hashes: true, signatures: true, text: 200 },
  ...{ list: 10, outlines: 3, items: 16, manifests: 2, direct: 16, focus: 10, tags: 10 },
};

const NOTHING = { list: 0, outlines: 0, items: 0, manifests: 0, direct: 0, focus: 0, tags: 0 } as const;
/** The least that is said; its texts are as long as names in a project are. */
const BARE: Caps = { ...NOTHING, hashes: false, signatures: false, text: 80 };
/** For long names, and for names that nobody gives. */
const SHORT: Caps = { ...BARE, text: 40 };
const BAREST: Caps = { ...BARE, text: 6 };

/** What is added to the bare form, one after the other where it fits: the first of everything before more of anything. */
const STEPS: readonly Partial<Caps>[] = [
  { focus: 1 },
  { outlines: 1, items: 1 },
  { list: 1 },
  { tags: 1 },
  { list: 2 },
  { items: 2 },
  { items: 4 },
  { focus: 2 },
  { list: 3 },
  { manifests: 1 },
  { focus: 3, tags: 2 },
  { items: 8 },
  { direct: 5 },
  { list: 5, focus: 5, tags: 5 },
  { items: 12 },
  { outlines: 2 },
  { signatures: true },
  { direct: 10, list: 8 },
];

/** Below this the bare form leaves room to say something within the aim. */
const ROOM_TO_SPEAK = 1_000;

/** Makes the compact form: as much as the aim has room for; what says nothing within the aim may take the most there is. */
export function compact(snapshot: Snapshot): CompactSnapshot {
  const roomy = cutTo(snapshot, ROOMY);
  if (bytesOf(roomy) <= COMPACT_AIM) return roomy;
  const bare = [BARE, SHORT].find((caps) => bytesOf(cutTo(snapshot, caps)) <= COMPACT_MAX) ?? BAREST;
  const most = bytesOf(cutTo(snapshot, bare)) <= ROOM_TO_SPEAK ? COMPACT_AIM : COMPACT_MAX;
  let caps = bare;
  let form = cutTo(snapshot, caps);
  for (const step of STEPS) {
    const more = { ...caps, ...step };
    const attempt = cutTo(snapshot, more);
    if (bytesOf(attempt) > most) continue;
    caps = more;
    form = attempt;
  }
  return form;
}

function bytesOf(value: CompactSnapshot): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function cutTo(snapshot: Snapshot, caps: Caps): CompactSnapshot {
  const { git, files, outlines, dependencies, marks, degraded, active, parent, ...rest } = snapshot;
  const { tree, ...view } = files;
  const kept = shownOutlines(snapshot).slice(0, caps.outlines);
  const manifests = Object.entries(dependencies).slice(0, caps.manifests);
  return {
    ...rest,
    ...hashed(caps, { parent }),
    // An id is opaque and no use when it is cut, so it goes last.
    anchor: cutText(snapshot.anchor, caps === BAREST ? caps.text : 320),
    active: active === null ? null : cutText(active, caps.text),
    git: cutGit(git, caps),
    files: { ...view, ...hashed(caps, { tree }), ...cutLanguages(files.byLanguage, Math.max(1, caps.list)) },
    outlines: Object.fromEntries(kept.map(([path, outline]) => [cutText(path, caps.text), cutOutline(outline, caps)])),
    ...more('outlinesMore', Object.keys(outlines).length - kept.length),
    dependencies: Object.fromEntries(
      manifests.map(([path, { manager, digest, direct }]) => [
        cutText(path, caps.text),
        { manager, ...hashed(caps, { digest }), ...cutDirect(direct, caps) },
      ]),
    ),
    ...more('dependenciesMore', Object.keys(dependencies).length - manifests.length),
    marks: { ...cutTags(marks.tags, caps), ...cutFocus(marks.focus, caps) },
    degraded: degraded.slice(0, caps.list).map((code) => cutText(code, caps.text)),
    ...more('degradedMore', degraded.length - caps.list),
  };
}

function more<K extends string>(key: K, count: number): { readonly [P in K]?: number } {
  return (count > 0 ? { [key]: count } : {}) as { readonly [P in K]?: number };
}

function hashed<T extends object>(caps: Caps, members: T): Partial<T> {
  return caps.hashes ? members : {};
}

function cutText(value: string, most: number): string {
  if (value.length <= most) return value;
  const characters = [...value];
  return characters.length <= most ? value : `${characters.slice(0, most - 1).join('')}…`;
}

function cutGit(git: GitState, caps: Caps): CompactSnapshot['git'] {
  const text = (value: string) => cutText(value, caps.text);
  const { head, upstream, history, lastCommit, submodules, ...rest } = git;
  const lists = LISTS.map((name) => {
    const count = git[name].length + (git[`${name}More`] ?? 0);
    const paths = git[name].slice(0, caps.list).map(text);
    return { [name]: paths, ...more(`${name}More`, count - paths.length) };
  });
  return {
    ...rest,
    ...hashed(caps, { history }),
    head: { ...head, ...(head.branch === undefined ? {} : { branch: text(head.branch) }) },
    ...(upstream === undefined ? {} : { upstream: { ...upstream, name: text(upstream.name) } }),
    ...Object.assign({}, ...lists),
    ...(lastCommit === undefined
      ? {}
      : {
          lastCommit: {
            // It is the head's own.
            ...hashed(caps, { commit: lastCommit.commit }),
            at: lastCommit.at,
            subject: text(lastCommit.subject),
            kinds: lastCommit.kinds.slice(0, 4).map(text),
          },
        }),
    submodules: submodules.slice(0, caps.list).map((each) => ({ ...each, path: text(each.path) })),
    ...more('submodulesMore', submodules.length - caps.list),
  };
}

function cutLanguages(byLanguage: FileView['byLanguage'], most: number) {
  const sorted = Object.entries(byLanguage).sort(([a, m], [b, n]) => n - m || compareBytes(a, b));
  const kept = sorted.slice(0, most).map(([language, count]) => [cutText(language, 20), count] as const);
  return { byLanguage: Object.fromEntries(kept), ...more('languagesMore', sorted.length - kept.length) };
}

/** Of the active file, then of files with a focus on them or in them. */
function shownOutlines({ active, outlines, marks }: Snapshot): [path: string, outline: Outline][] {
  const focused = Object.keys(marks.focus).map(pathOfTarget);
  const paths = [...new Set([active, ...focused])].filter((path) => path !== null);
  return paths.flatMap((path): [string, Outline][] => {
    const outline = Object.hasOwn(outlines, path) ? outlines[path] : undefined;
    return outline === undefined ? [] : [[path, outline]];
  });
}

/** Null for a target that names no file, and for one that is not well formed: marks come from outside. */
function pathOfTarget(target: string): string | null {
  try {
    return targetPath(parseTarget(target));
  } catch (error) {
    if (error instanceof ProjectAnchorError) return null;
    throw error;
  }
}

function cutOutline({ items, more: before = 0, ...rest }: Outline, caps: Caps): Outline {
  const kept = new Set(items.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, caps.items));
  return {
    ...rest,
    items: items.filter((item) => kept.has(item)).map((item) => cutItem(item, caps)),
    ...more('more', before + items.length - kept.size),
  };
}

function cutItem({ signature, name, of, ...item }: OutlineItem, caps: Caps): OutlineItem {
  const cut = { ...item, name: cutText(name, caps.text), ...(of === undefined ? {} : { of: cutText(of, caps.text) }) };
  return signature === undefined || !caps.signatures ? cut : { ...cut, signature: cutText(signature, 100) };
}

function cutDirect(direct: Dependencies['direct'], caps: Caps) {
  const entries = Object.entries(direct);
  const kept = entries.slice(0, caps.direct).map(([name, range]) => [cutText(name, caps.text), cutText(range, 40)]);
  return { direct: Object.fromEntries(kept), ...more('directMore', entries.length - kept.length) };
}

/** Pinned marks first, then the newest. */
function byImportance<T extends { readonly at: string; readonly pinned?: true }>(
  [a, x]: readonly [string, T],
  [b, y]: readonly [string, T],
): number {
  return Number(y.pinned === true) - Number(x.pinned === true) || compareBytes(y.at, x.at) || compareBytes(a, b);
}

function cutFocus(focus: FocusMap, caps: Caps) {
  const entries = Object.entries(focus).sort(byImportance);
  const kept = entries.slice(0, caps.focus).map(([target, each]) => {
    const symbol = each.symbol === undefined ? {} : { symbol: cutText(each.symbol, caps.text) };
    return [cutText(target, caps.text), { ...each, ...symbol, by: cutText(each.by, caps.text) }];
  });
  return { focus: Object.fromEntries(kept), ...more('focusMore', entries.length - kept.length) };
}

function cutTags(tags: Tags, caps: Caps) {
  const all = Object.entries(tags).flatMap(([target, slots]) =>
    Object.entries(slots).flatMap(([key, slot]) => {
      const value = slot.set ?? slot.auto;
      return value === undefined ? [] : [[target, { ...value, key }] as const];
    }),
  );
  const kept = new Map<string, Map<string, TagSlot>>();
  for (const [target, { key, ...tag }] of all.sort(byImportance).slice(0, caps.tags)) {
    const value = { ...tag, value: cutText(tag.value, caps.text), by: cutText(tag.by, caps.text) };
    const name = cutText(target, caps.text);
    const slots = kept.get(name) ?? new Map<string, TagSlot>();
    kept.set(name, slots.set(cutText(key, caps.text), tag.source === 'auto' ? { auto: value } : { set: value }));
  }
  const entries = Array.from(kept, ([target, slots]) => [target, Object.fromEntries(slots)] as const);
  return { tags: Object.fromEntries(entries), ...more('tagsMore', all.length - caps.tags) };
}
