import { candidatePaths, type ImportSite } from './imports.ts';
import { languageOf } from './languages.ts';
import type { FileFacts, ImportFact } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Outlines of this many imported files go along; more do not fit a prompt. */
const MAX_IMPORT_OUTLINES = 40;

/** What a file and those it imports say (FileFacts). `text` null reads the disk. */
export async function factsOf(workspace: Workspace, path: string, text: string | null): Promise<FileFacts> {
  const language = languageOf(path) ?? 'text';
  if (!(await workspace.mayRead(path))) return { path, language, outline: null, imports: [], degraded: ['denied'] };
  const { outlines } = workspace;
  const read = text === null ? await outlines.ofFile(path) : await outlines.ofText(path, text);
  const imports = await resolveImports(workspace, path, read.imports);
  return { path, language, outline: read.outline, imports, degraded: read.degraded };
}

async function resolveImports(
  workspace: Workspace,
  importer: string,
  sites: readonly ImportSite[],
): Promise<readonly ImportFact[]> {
  const imports: ImportFact[] = [];
  const outlined = new Set<string>();
  for (const site of sites) {
    const path = await resolveModule(workspace, importer, site.module);
    if (path !== null) {
      const fits = outlined.has(path) || outlined.size < MAX_IMPORT_OUTLINES;
      const outline = fits ? (await workspace.outlines.ofFile(path)).outline : null;
      if (outline !== null) outlined.add(path);
      imports.push({ ...site, path, ...(outline === null ? {} : { outline }) });
      continue;
    }
    const dependency = await workspace.manifests.dependency(importer, site.module);
    imports.push({ ...site, ...(dependency === undefined ? {} : { dependency }) });
  }
  return imports;
}

/** The project file that a relative import means, or null. What is listed is known without looking at the disk. */
async function resolveModule(workspace: Workspace, importer: string, module: string): Promise<string | null> {
  const candidates = candidatePaths(importer, module);
  const listed = candidates.find((path) => workspace.files.has(path));
  if (listed !== undefined) return (await workspace.outlines.source.locate(listed)).ok ? listed : null;
  for (const path of candidates) {
    if ((await workspace.outlines.source.locate(path)).ok && (await workspace.mayRead(path))) return path;
  }
  return null;
}
