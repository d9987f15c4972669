import { setImmediate as eventsHandled } from 'node:timers/promises';
import type { IndexCache } from '../commits/index.ts';
import type { WorkingFiles } from '../files.ts';
import type { ImportSite } from '../imports.ts';
import { isOutlined, languageOf } from '../languages.ts';
import type { Outlines } from '../outlines.ts';
import { createImportResolver, type ImportResolver, isResolverConfig } from '../resolve/index.ts';
import type { ImporterFact } from '../types.ts';
import { ImportGraph } from './import-graph.ts';
import { blobId, decodeFile, encodeFile, INDEX_KIND, type IndexedFile, indexKey } from './indexed-file.ts';

export interface CodeIndexParts {
  readonly files: WorkingFiles;
  readonly outlines: Outlines;
  readonly cache: IndexCache;
  /** Resolves when nothing more urgent is under way. */
  readonly idle: () => Promise<void>;
}

/** How far the index is. */
export interface IndexState {
  /** Source files of the project. */
  readonly files: number;
  /** How many of them are read. */
  readonly indexed: number;
  /** Whether that is all, as of the last listing. */
  readonly complete: boolean;
}

/** What is kept in memory of a file: a project has thousands of them. The rest is in the cache. */
interface Indexed {
  /** Changes with its text. */
  readonly stamp: string;
  readonly imports: readonly ImportSite[];
  /** Names that it declares outside of any other. */
  readonly declares: readonly string[];
  readonly problem?: string;
}

/** How long one slice of a pass holds its thread at most, give or take one file, in ms. */
const SLICE_MS = 10;
/** So many files are looked at each time whether git holds them clean or not: more of them would be felt. */
const MAX_UNCLEAN = 2_000;
/** Files whose entries are written to the cache in one transaction. */
const BATCH = 64;

/**
 * Imports and symbols of all source files of one working tree. A pass reads what has changed in the listing since the
 * last one; what a text says is cached under git's id of it, so that a pass that was cancelled or whose process ended
 * goes on where it was, and another branch or working tree has most of it already.
 */
export class CodeIndex {
  readonly #parts: CodeIndexParts;
  readonly #files = new Map<string, Indexed>();
  readonly #graph: ImportGraph;
  readonly #texts = new Map<string, string>();
  /** All paths of the listing, whatever they are: imports may lead to any of them. */
  #listed = new Set<string>();
  /** What the next slice reads. */
  readonly #pending = new Set<string>();
  /** Entries that are not in the cache yet. */
  #unwritten: { readonly key: string; readonly json: string }[] = [];
  #resolver: Promise<ImportResolver> | null = null;
  /** Whether imports may lead elsewhere than they did. */
  #isMoved = true;
  #running: Promise<IndexState> | null = null;
  #cancelled = false;

  constructor(parts: CodeIndexParts) {
    this.#parts = parts;
    this.#graph = new ImportGraph((path) => this.#files.get(path)?.imports ?? []);
  }

  get state(): IndexState {
    this.#drain();
    const waiting = [...this.#pending].filter((path) => !this.#files.has(path)).length;
    const indexed = this.#files.size;
    return { files: indexed + waiting, indexed, complete: this.#pending.size === 0 && !this.#isMoved };
  }

  /** Files that import a file, with what they take of it, in byte order of their paths. As far as the index is. */
  importers(path: string): readonly ImporterFact[] {
    return this.#graph.importers(path);
  }

  /** Files that declare a symbol of this name outside of any other, in the order that they were read. */
  declaring(name: string): readonly string[] {
    const found: string[] = [];
    for (const [path, { declares }] of this.#files) if (declares.includes(name)) found.push(path);
    return found;
  }

  /** How imports of this project resolve, as of the last listing. */
  resolver(): Promise<ImportResolver> {
    this.#drain();
    const { files, outlines } = this.#parts;
    if (this.#resolver === null) {
      const made = createImportResolver({
        has: (path) => files.has(path),
        paths: () => files.paths(),
        async read(path) {
          const source = files.has(path) ? await outlines.source.read(path) : null;
          return source?.ok === true ? source.text : null;
        },
      });
      this.#resolver = made;
      // One that could not be made is tried again.
      made.catch(() => {
        if (this.#resolver === made) this.#resolver = null;
      });
    }
    return this.#resolver;
  }

  /**
   * Brings the index up to the last listing; whoever calls meanwhile waits for the same pass. Other work of the thread
   * goes first, and runs in between.
   * @returns how far it came: not all the way when it was cancelled
   */
  run(): Promise<IndexState> {
    this.#cancelled = false;
    this.#running ??= this.#pass().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Ends a pass after the file that it is at. What it has read is kept, and the next pass goes on from there. */
  cancel(): void {
    this.#cancelled = true;
  }

  async #pass(): Promise<IndexState> {
    const { idle } = this.#parts;
    do {
      this.#drain();
      this.#addUnclean();
      let since = performance.now();
      for (const path of this.#pending) {
        if (this.#cancelled) break;
        const changed = await this.#read(path);
        this.#pending.delete(path);
        if (changed && !this.#isMoved) this.#graph.set(path, await this.#targetsOf(path));
        if (performance.now() - since < SLICE_MS) continue;
        await eventsHandled();
        await idle();
        since = performance.now();
      }
      this.#write();
      await this.#resolveAll();
    } while (!this.#cancelled && this.#hasNews());
    return this.state;
  }

  #hasNews(): boolean {
    this.#drain();
    return this.#pending.size > 0 || this.#isMoved;
  }

  /** Takes over what has changed in the listing. */
  #drain(): void {
    const { files } = this.#parts;
    const changes = files.takeChanges();
    if (changes.all) {
      const before = this.#listed;
      this.#listed = new Set(files.paths());
      this.#texts.clear();
      for (const path of this.#listed) if (isOutlined(languageOf(path))) this.#pending.add(path);
      for (const path of before) if (!this.#listed.has(path)) this.#forget(path);
      this.#isMoved = true;
      this.#resolver = null;
      return;
    }
    for (const path of changes.paths) this.#change(path);
  }

  #change(path: string): void {
    const isThere = this.#parts.files.has(path);
    const wasThere = this.#listed.has(path);
    if (isResolverConfig(path)) this.#resolver = null;
    if (isThere !== wasThere || isResolverConfig(path)) this.#isMoved = true;
    if (!isThere) {
      this.#listed.delete(path);
      this.#forget(path);
      return;
    }
    this.#listed.add(path);
    if (!wasThere) this.#resolver?.then((resolver) => resolver.added(path)).catch(() => undefined);
    if (isOutlined(languageOf(path))) this.#pending.add(path);
  }

  #forget(path: string): void {
    this.#pending.delete(path);
    this.#files.delete(path);
    this.#graph.delete(path);
  }

  /** What git does not hold clean may change while the listing stays the same; without git that is every file. */
  #addUnclean(): void {
    const { files } = this.#parts;
    let count = 0;
    for (const path of files.isFromGit ? files.touched : files.paths()) {
      if (!files.has(path) || !isOutlined(languageOf(path))) continue;
      this.#pending.add(path);
      if (++count >= MAX_UNCLEAN) return;
    }
  }

  /** Whether its text is another one than before. */
  async #read(path: string): Promise<boolean> {
    const { files, outlines } = this.#parts;
    const entry = files.entry(path);
    if (entry?.kind !== 'file') return false;
    const before = this.#files.get(path);
    const { oid } = entry;
    if (oid !== undefined && before?.stamp === oid) return false;
    const kept = oid === undefined ? undefined : this.#kept(indexKey(path, oid));
    if (oid !== undefined && kept !== undefined) {
      this.#set(path, oid, kept);
      return true;
    }
    const located = outlines.source.locate(path);
    if (located.ok && before?.stamp === located.stamp) return false;
    const source = located.ok ? await outlines.source.readLocated(path, located) : located;
    if (!source.ok) {
      this.#set(path, '', { outline: null, imports: [], problem: source.code });
      return before?.problem !== source.code;
    }
    const id = blobId(source.text, oid?.length ?? 40);
    const key = indexKey(path, id);
    // A clean file was looked for already.
    const known = id === oid ? undefined : this.#kept(key);
    const file = known ?? (await this.#parse(path, source.text));
    // A text that is not what git holds, because it was just written or git stores it in another form, is looked at again.
    this.#set(path, id === oid ? id : source.stamp, file);
    // A grammar that is missing today may be there tomorrow.
    if (known === undefined && file.problem !== 'no_grammar') this.#keep(key, encodeFile(file));
    return true;
  }

  #set(path: string, stamp: string, { outline, imports, problem }: IndexedFile): void {
    const declared = outline?.items.filter(({ of }) => of === undefined) ?? [];
    this.#files.set(path, {
      stamp,
      imports: imports.map(({ module, names, ...site }) => {
        return { ...site, module: this.#once(module), names: names.map((name) => this.#once(name)) };
      }),
      declares: [...new Set(declared.map(({ name }) => this.#once(name)))],
      ...(problem === undefined ? {} : { problem }),
    });
  }

  /** The same text, which is in memory once however many files have it. */
  #once(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }

  #kept(key: string): IndexedFile | undefined {
    const json = this.#parts.cache.get(INDEX_KIND, key);
    return json === undefined ? undefined : (decodeFile(json) ?? undefined);
  }

  async #parse(path: string, text: string): Promise<IndexedFile> {
    const { outline, imports, problem } = await this.#parts.outlines.ofPass(path, text);
    return { outline, imports, ...(problem === null ? {} : { problem: problem.code }) };
  }

  #keep(key: string, json: string): void {
    this.#unwritten.push({ key, json });
    if (this.#unwritten.length >= BATCH) this.#write();
  }

  #write(): void {
    const { cache } = this.#parts;
    const entries = this.#unwritten;
    if (entries.length === 0) return;
    this.#unwritten = [];
    cache.batch(() => {
      for (const { key, json } of entries) cache.put(INDEX_KIND, key, json);
    });
  }

  async #targetsOf(path: string): Promise<readonly (readonly string[])[]> {
    const resolver = await this.resolver();
    const language = languageOf(path) ?? '';
    const sites = this.#files.get(path)?.imports ?? [];
    return sites.map((site) => resolver.resolve(path, language, site).map((target) => this.#once(target)));
  }

  /** Where files came or went, or configuration changed, any import may lead elsewhere. */
  async #resolveAll(): Promise<void> {
    if (!this.#isMoved || this.#cancelled) return;
    this.#isMoved = false;
    let since = performance.now();
    for (const path of this.#files.keys()) {
      this.#graph.set(path, await this.#targetsOf(path));
      if (performance.now() - since < SLICE_MS) continue;
      await eventsHandled();
      await this.#parts.idle();
      since = performance.now();
    }
  }
}
