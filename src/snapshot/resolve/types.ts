import type { ImportSite } from '../imports.ts';

/** The project as a resolver sees it. Paths are relative to its root. */
export interface ResolverFiles {
  /** Whether a path is a file of the project. */
  has(path: string): boolean;
  paths(): Iterable<string>;
  /** The file's text, or null when it may not or cannot be read. */
  read(path: string): Promise<string | null>;
}

/** What of an import says where it leads. */
export type ResolvableSite = Pick<ImportSite, 'module' | 'names'>;

/** Finds the project files that imports mean. */
export interface ImportResolver {
  /**
   * Project files that an import means, likeliest first (a Python import of names of a package may mean several); empty
   * when it is none of the project's. Never waits and never throws. It follows nothing, so that files which import each
   * other in a circle are no matter here.
   */
  resolve(importer: string, language: string, site: ResolvableSite): readonly string[];
  /** Tells of a file that has come. One that has gone is missed by itself; for configuration make a new resolver. */
  added(path: string): void;
  /** Degraded codes of configuration that could not be used, such as `malformed:tsconfig.json`, `cycle:tsconfig.json`. */
  readonly degraded: readonly string[];
}

/** How one ecosystem resolves: what it gives need not exist, the door looks. */
export type Resolve = (importer: string, site: ResolvableSite) => Iterable<string>;

/** What resolvers are made from: the files, their lookups, the configuration that was read, and where to report. */
export interface Sources {
  readonly files: ResolverFiles;
  readonly index: PathIndex;
  /** Paths of configuration files, in byte order. */
  readonly configs: readonly string[];
  /** The text of a configuration file, each read once. */
  text(path: string): Promise<string | null>;
  /** Notes that a file could not be used. */
  report(kind: 'malformed' | 'cycle', path: string): void;
}

/** Lookups over all source files, made when they are first needed. */
export interface PathIndex {
  /** Changes whenever a file is added. */
  readonly version: number;
  /** A file that has come since. */
  add(path: string): void;
  /** Files with this path but for their extension. */
  withStem(stem: string): readonly string[];
  /** Files with this name in any folder. */
  named(name: string): readonly string[];
  /** Files that end with this path of one segment or more: `b/c.h` finds `a/b/c.h`. */
  endingWith(path: string): readonly string[];
  /** Files directly in a folder. */
  inFolder(folder: string): readonly string[];
  /** Whether there are files in a folder, or below. */
  holds(folder: string): boolean;
  /** Folders that end with this path of one segment or more. */
  foldersEndingWith(path: string): readonly string[];
}
