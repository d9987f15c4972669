import { stemOf, withoutD } from './path-index.ts';
import { under } from './paths.ts';
import type { PathIndex } from './types.ts';

/** Extensions that an import may leave out, in the order they are tried. */
const LEFT_OUT = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.json'] as const;
/** TypeScript imports name the file that the compiler will write. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};

/** Finds the file that a path in an import means, as `candidatePaths` lists them, in a few lookups. */
export class ScriptFiles {
  readonly #has: (path: string) => boolean;
  readonly #index: PathIndex;

  constructor(has: (path: string) => boolean, index: PathIndex) {
    this.#has = has;
    this.#index = index;
  }

  /**
   * The file of a path: itself, the source of what it names, or with an extension, or the index of a folder.
   * @param folderOnly for a path that can only be a folder, such as `..`
   */
  at(path: string, folderOnly = false): string | null {
    if (folderOnly || path === '') return this.#with(under(path, 'index'), LEFT_OUT);
    if (this.#has(path)) return path;
    return this.#source(path) ?? this.#with(path, LEFT_OUT) ?? this.#with(under(path, 'index'), LEFT_OUT);
  }

  /** The same for what a build has written, with any extension that its source may have. */
  ofBuilt(path: string): string | null {
    const found = this.at(path);
    if (found !== null || !/(?:\.d)?\.[cm]?[jt]sx?$/.test(path)) return found;
    return (
      this.#with(stemOf(path), LEFT_OUT) ?? [`${stemOf(path)}.vue`, `${stemOf(path)}.svelte`].find(this.#has) ?? null
    );
  }

  #source(path: string): string | null {
    const dot = path.lastIndexOf('.');
    const extensions = dot > path.lastIndexOf('/') ? WRITTEN[path.slice(dot)] : undefined;
    return extensions === undefined ? null : this.#with(path.slice(0, dot), extensions);
  }

  #with(stem: string, extensions: readonly string[]): string | null {
    // `a.d` is kept as `a`, because of `a.d.ts`.
    const known = this.#index.withStem(withoutD(stem));
    if (known.length === 0) return null;
    for (const extension of extensions) {
      const path = stem + extension;
      if (known.includes(path) && this.#has(path)) return path;
    }
    return null;
  }
}
