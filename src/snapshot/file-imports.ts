import { ProjectAnchorError } from '../base/index.ts';
import type { IndexState } from './code-index/index.ts';
import { resolveImports } from './facts.ts';
import { isOutlined, languageOf } from './languages.ts';
import type { ImporterFact, ImportFact } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Who imports a file, at most. */
const MAX_IMPORTERS = 500;

/** Where there is no file to tell of. Of one that cannot be read it is still known who imports it. */
const NOT_THERE: ReadonlySet<string> = new Set(['denied', 'missing', 'outside']);

/** What a file imports and who imports it. */
export interface FileImports {
  readonly path: string;
  readonly language: string;
  /** In the order of the text; without the outlines of what is imported. */
  readonly imports: readonly ImportFact[];
  readonly importedBy: readonly ImporterFact[];
  /** How many more import it. */
  readonly more?: number;
  /** How far the index is that `importedBy` is from. */
  readonly index: IndexState;
  /** Degraded codes of the file and of configuration that says where imports lead. */
  readonly degraded: readonly string[];
}

/**
 * @param complete whether the index is brought up to date first; the first time that reads the whole tree
 * @throws ProjectAnchorError why the file cannot be read, in sentences
 */
export async function importsOf(workspace: Workspace, path: string, complete: boolean): Promise<FileImports> {
  await workspace.listed();
  const { index, outlines } = workspace;
  if (complete) await index.run();
  const { imports: sites, degraded, error } = await outlines.ofFile(path);
  const isRead = isOutlined(languageOf(path));
  if (error !== null && NOT_THERE.has(error.code)) throw error;
  if (!(await workspace.mayRead(path))) {
    throw new ProjectAnchorError('denied', `Git ignores ${path}, or could not be asked, so it stays here.`);
  }
  const importers = index.importers(path);
  const more = importers.length - MAX_IMPORTERS;
  const imports = isRead ? await resolveImports(workspace, path, sites) : [];
  return {
    path,
    language: languageOf(path) ?? 'text',
    imports: imports.map(({ outline: _, ...fact }) => fact),
    importedBy: importers.slice(0, MAX_IMPORTERS),
    ...(more > 0 ? { more } : {}),
    index: index.state,
    degraded: [...degraded, ...(await index.resolver()).degraded],
  };
}
