import { declaredTypes } from './declared-types.ts';
import type { DependencyScope } from './dependency-scope.ts';
import { homesOf } from './import-homes.ts';
import type { ImportSite } from './imports.ts';
import { languageOf } from './languages.ts';
import type { FileFacts, ImportFact } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Outlines of this many imported files go along; more do not fit a prompt. */
const MAX_IMPORT_OUTLINES = 40;
/** Files that import this one, of which so many are named. */
const MAX_IMPORTERS = 30;

/** What a file and those it imports say (FileFacts). `text` null reads the disk. */
export async function factsOf(workspace: Workspace, path: string, text: string | null): Promise<FileFacts> {
  const language = languageOf(path) ?? 'text';
  if (!(await workspace.mayRead(path))) return { path, language, outline: null, imports: [], degraded: ['denied'] };
  const { outlines, manifests, index, origins } = workspace;
  const {
    outline,
    imports: sites,
    degraded,
  } = text === null ? await outlines.ofFile(path) : await outlines.ofText(path, text);
  const imports = await resolveImports(workspace, path, sites);
  const types = await declaredTypes(workspace, path, outline, imports);
  const inScope = (await manifests.scope(path)).all();
  const importedBy = index.importers(path).slice(0, MAX_IMPORTERS);
  const origin = await origins.of(path, text);
  return {
    path,
    language,
    outline,
    imports,
    ...(types.length === 0 ? {} : { types }),
    ...(inScope.length === 0 ? {} : { inScope }),
    ...(importedBy.length === 0 ? {} : { importedBy }),
    ...(origin === null ? {} : { origin }),
    degraded,
  };
}

/** Imports with the project files that they mean and those files' outlines, or the dependency that they name. */
export async function resolveImports(
  workspace: Workspace,
  importer: string,
  sites: readonly ImportSite[],
): Promise<readonly ImportFact[]> {
  const imports: ImportFact[] = [];
  const outlined = new Set<string>();
  let scope: DependencyScope | null = null;
  for (const site of sites) {
    const { module, names, line } = site;
    const homes = await homesOf(workspace, importer, site);
    if (homes.size === 0) {
      scope ??= await workspace.manifests.scope(importer);
      const dependency = scope.dependency(languageOf(importer) ?? 'text', module);
      imports.push({ module, names, line, ...(dependency === undefined ? {} : { dependency }) });
      continue;
    }
    for (const [home, declared] of homes) {
      const fits = outlined.has(home) || outlined.size < MAX_IMPORT_OUTLINES;
      const outline = fits ? (await workspace.outlines.ofFile(home)).outline : null;
      if (outline !== null) outlined.add(home);
      imports.push({ module, names: declared, line, path: home, ...(outline === null ? {} : { outline }) });
    }
  }
  return imports;
}
