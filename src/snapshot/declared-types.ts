import { homeOf, homesOf } from './import-homes.ts';
import type { ImportFact, Outline, OutlineItem, TypeFact } from './types.ts';
import type { Workspace } from './workspace.ts';

/** More types than this do not fit a prompt. */
const MAX_TYPES = 20;
/** Of a type with more members the first ones are told. */
const MAX_MEMBERS = 40;

const TYPE_KINDS: ReadonlySet<string> = new Set(['class', 'interface', 'type', 'enum']);

/** Languages in which files of one folder see each other without an import. */
const BY_FOLDER: ReadonlySet<string> = new Set(['go', 'java', 'cs', 'kt', 'scala']);

/** Where a signature stands that names types. */
interface Mention {
  readonly path: string;
  readonly outline: Outline;
  readonly names: ReadonlySet<string>;
}

/**
 * The types that a file works with without naming their module, one hop away: those in the signatures of what it imports
 * and of what it declares, where they are declared. What it declares or imports itself is in its outline and imports.
 */
export async function declaredTypes(
  workspace: Workspace,
  path: string,
  outline: Outline | null,
  imports: readonly ImportFact[],
): Promise<readonly TypeFact[]> {
  const known = new Set(imports.flatMap(({ names, path: home }) => names.map((name) => `${home} ${name}`)));
  const types = new Map<string, TypeFact>();
  for (const mention of mentionsOf(path, outline, imports)) {
    for (const name of mention.names) {
      if (types.size >= MAX_TYPES) return [...types.values()];
      const home = await declarationOf(workspace, mention, name);
      if (home === null || home.path === path || known.has(`${home.path} ${home.name}`)) continue;
      const key = `${home.path} ${home.name}`;
      if (types.has(key)) continue;
      const items = await typeItems(workspace, home.path, home.name);
      if (items.length > 0) types.set(key, { name: home.name, path: home.path, items });
    }
  }
  return [...types.values()];
}

/** What the signatures name of each symbol that is imported, and of each that the file declares. */
function mentionsOf(path: string, outline: Outline | null, imports: readonly ImportFact[]): readonly Mention[] {
  const mentions: Mention[] = [];
  if (outline !== null) mentions.push({ path, outline, names: namesIn(outline.items) });
  for (const { path: home, outline: there, names } of imports) {
    if (home === undefined || there === undefined) continue;
    const wanted = new Set(names);
    const isTaken = ({ name, of }: OutlineItem) => wanted.has((of ?? name).split('.')[0] ?? '');
    mentions.push({ path: home, outline: there, names: namesIn(there.items.filter(isTaken)) });
  }
  return mentions;
}

function namesIn(items: readonly OutlineItem[]): ReadonlySet<string> {
  return new Set(items.flatMap(({ signature = '' }) => signature.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []));
}

/** Where a type is declared that a signature of a file names. Null for what is no type of this project. */
async function declarationOf(
  workspace: Workspace,
  { path, outline }: Mention,
  name: string,
): Promise<{ readonly path: string; readonly name: string } | null> {
  if (outline.items.some((item) => item.of === undefined && item.name === name && TYPE_KINDS.has(item.kind))) {
    return { path, name };
  }
  const { imports } = await workspace.outlines.ofFile(path);
  const site = imports.find(({ names }) => names.includes(name));
  if (site !== undefined) {
    for (const [home, names] of await homesOf(workspace, path, { module: site.module, names: [name] })) {
      for (const each of names) return { path: home, name: each };
    }
    return null;
  }
  if (!BY_FOLDER.has(outline.language)) return null;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const beside = workspace.index
    .declaring(name)
    .find((each) => each.startsWith(folder) && !each.slice(folder.length).includes('/'));
  return beside === undefined ? null : { path: beside, name };
}

/** The type with its members; empty when the name is no type there. */
async function typeItems(workspace: Workspace, path: string, name: string): Promise<readonly OutlineItem[]> {
  const home = (await homeOf(workspace, path, name)) ?? { path, name };
  const items = (await workspace.outlines.ofFile(home.path)).outline?.items ?? [];
  const type = items.find((item) => item.of === undefined && item.name === home.name && TYPE_KINDS.has(item.kind));
  if (type === undefined) return [];
  return [type, ...items.filter(({ of }) => of === home.name).slice(0, MAX_MEMBERS)];
}
