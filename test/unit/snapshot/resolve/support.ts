import {
  createImportResolver,
  type ImportResolver,
  type ResolverFiles,
} from '../../../../src/snapshot/resolve/index.ts';

/** A project in memory: path → text. */
export type Project = Readonly<Record<string, string>>;

export function filesOf(project: Project): ResolverFiles {
  const files = new Map(Object.entries(project));
  return {
    has: (path) => files.has(path),
    paths: () => files.keys(),
    read: async (path) => files.get(path) ?? null,
  };
}

/** Makes a project's resolver from files with texts, and files of which only the path counts. */
export function resolverOf(project: Project, ...paths: readonly string[]): Promise<ImportResolver> {
  return createImportResolver(filesOf({ ...Object.fromEntries(paths.map((path) => [path, ''])), ...project }));
}
