import { candidatePaths, type ImportSite } from './imports.ts';
import { languageOf } from './languages.ts';
import type { FileFacts, ImportFact } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Outlines of this many imported files go along; more do not fit a prompt. */
const MAX_IMPORT_OUTLINES = 40;
/** Files that only pass on names lead to files that only pass on names; this far they are followed. */
const MAX_HOPS = 5;

/** What a file and those it imports say (FileFacts). `text` null reads the disk. */
export async function factsOf(workspace: Workspace, path: string, text: string | null): Promise<FileFacts> {
  const language = languageOf(path) ?? 'text';
  if (!(await workspace.mayRead(path))) return { path, language, outline: null, imports: [], degraded: ['denied'] };
  const { outlines } = workspace;
  const read = text === null ? await outlines.ofFile(path) : await outlines.ofText(path, text);
  const imports = await resolveImports(workspace, path, read.imports);
  return { path, language, outline: read.outline, imports, degraded: read.degraded };
}

export async function resolveImports(
  workspace: Workspace,
  importer: string,
  sites: readonly ImportSite[],
): Promise<readonly ImportFact[]> {
  const imports: ImportFact[] = [];
  const outlined = new Set<string>();
  for (const { module, names, line } of sites) {
    const path = await resolveModule(workspace, importer, module);
    if (path === null) {
      const dependency = await workspace.manifests.dependency(importer, languageOf(importer) ?? 'text', module);
      imports.push({ module, names, line, ...(dependency === undefined ? {} : { dependency }) });
      continue;
    }
    for (const [home, declared] of await homesOf(workspace, path, names)) {
      const fits = outlined.has(home) || outlined.size < MAX_IMPORT_OUTLINES;
      const outline = fits ? (await workspace.outlines.ofFile(home)).outline : null;
      if (outline !== null) outlined.add(home);
      imports.push({ module, names: declared, line, path: home, ...(outline === null ? {} : { outline }) });
    }
  }
  return imports;
}

/**
 * The files that imported names are declared in, with their names there: an index file that only passes them on says
 * nothing about them.
 */
async function homesOf(
  workspace: Workspace,
  path: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const homes = new Map<string, string[]>();
  for (const name of names) {
    const home = (name === '*' ? null : await homeOf(workspace, path, name, MAX_HOPS)) ?? { path, name };
    homes.set(home.path, [...(homes.get(home.path) ?? []), home.name]);
  }
  return homes.size === 0 ? new Map([[path, []]]) : homes;
}

interface Home {
  readonly path: string;
  readonly name: string;
}

/** Null when the name is not found; then it is said of the file that was imported. */
async function homeOf(workspace: Workspace, path: string, name: string, hops: number): Promise<Home | null> {
  const { outline, imports } = await workspace.outlines.ofFile(path);
  const declares = outline?.items.some((item) => item.of === undefined && item.exported === true && item.name === name);
  if (declares === true) return { path, name };
  if (hops === 0) return null;
  const named = imports.find(({ passedOn }) => passedOn?.has(name));
  const there = named?.passedOn?.get(name) ?? name;
  const all = name === 'default' ? [] : imports.filter(({ passedOn }) => passedOn?.get('*') === '*');
  for (const { module } of named === undefined ? all : [named]) {
    const next = await resolveModule(workspace, path, module);
    if (next === null) continue;
    const home = there === '*' ? { path: next, name: '*' } : await homeOf(workspace, next, there, hops - 1);
    if (home !== null) return home;
  }
  return null;
}

/** The project file that a relative import means, or null. What is listed is known without looking at the disk. */
async function resolveModule(workspace: Workspace, importer: string, module: string): Promise<string | null> {
  const candidates = candidatePaths(importer, module);
  const listed = candidates.find((path) => workspace.files.has(path));
  if (listed !== undefined) return workspace.outlines.source.locate(listed).ok ? listed : null;
  for (const path of candidates) {
    if (workspace.outlines.source.locate(path).ok && (await workspace.mayRead(path))) return path;
  }
  return null;
}
