/** What a manifest says before the gate has looked at it. */
export interface Declared {
  /** The program that reads such manifests: `npm`, `poetry`, `maven`. */
  readonly manager: string;
  /** Name → range as written, empty where none is. */
  readonly direct: ReadonlyMap<string, string>;
}

/**
 * The text of a file that a manifest refers to, by its path in the project; null when it may not or cannot be read.
 * What is asked for counts as part of the manifest.
 */
export type Related = (path: string) => Promise<string | null>;

/** What a lock file says: the version of a dependency for the package in a folder, relative to the lock file's. */
export type Locked = (folder: string, name: string, range: string) => string | undefined;

/** One way to declare dependencies: a family of manifests with their lock files. */
export interface Ecosystem {
  /** Languages whose imports name its packages. */
  readonly languages: readonly string[];
  /** Whether a file of this name, without its folder, is a manifest. */
  isManifest(name: string): boolean;
  /** @returns null when the text is malformed */
  read(path: string, text: string, related: Related): Promise<Declared | null>;
  /** Names of lock files, the one that counts first. They stand beside the manifest. */
  readonly locks: readonly string[];
  /** Whether one in a folder above counts as well, for a manifest of this name. */
  sharesLock(name: string): boolean;
  /** @returns null when the text is malformed */
  readLock(name: string, text: string): Promise<Locked | null>;
  /** The dependency, of those declared, that a module in an import belongs to. */
  named(module: string, names: readonly string[]): string | undefined;
}
