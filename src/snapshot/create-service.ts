import { type Clock, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { Store } from '../store/index.ts';
import { SnapshotBuilder } from './builder.ts';
import type { IndexState } from './code-index/index.ts';
import {
  type AutoTagOptions,
  type AutoTags,
  anyComplexity,
  type CommitSymbols,
  grammarComplexity,
  HistoryQuestions,
  type IndexCache,
  memoryCache,
  scriptComplexity,
  type TogetherFile,
  textOutline,
  type Why,
} from './commits/index.ts';
import { factsOf } from './facts.ts';
import { type FileImports, importsOf } from './file-imports.ts';
import { FILE_LIMITS, type FileLimits } from './files.ts';
import { Foreground } from './foreground.ts';
import { createGit } from './git.ts';
import type { Git } from './git-port.ts';
import { createGrammarParser, GRAMMAR_LANGUAGES } from './grammars/index.ts';
import { createParser, type Parser } from './parser.ts';
import { Registry } from './registry.ts';
import type { FileRow, SnapshotService, SnapshotSettings, TakenSnapshot, TakeRequest } from './service.ts';
import { fileRows, findSnapshot } from './stored.ts';
import { TakeQueue } from './take-queue.ts';
import { TextReaders } from './text-readers.ts';
import { PARSE_LIMIT_MS } from './time-limit.ts';
import type { FileFacts, ManifestFacts, Origin, Outline, ProjectIdentity, Snapshot } from './types.ts';
import type { Workspace } from './workspace.ts';

export interface SnapshotServiceOptions {
  /** Stays the caller's: it is not closed here. */
  readonly store: Store;
  /** `machineId` of the data folder. */
  readonly machine: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The environment that git inherits, without its `GIT_*`; this process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the whole tree is indexed after snapshots, while nothing else is to be done (editor). */
  readonly background?: boolean;
  /** How long one text may take to parse, in ms; null where somebody else ends a thread that does not answer. */
  readonly parseLimitMs?: number | null;
  /** For tests: another git, parser or other limits. */
  readonly git?: Git;
  readonly parser?: Parser;
  readonly limits?: FileLimits;
  /** Where what was worked out is kept across restarts; in memory by default. */
  readonly cache?: IndexCache;
}

/** The settings before anybody configures: those of the manifest. */
export const DEFAULT_SETTINGS: SnapshotSettings = { mainBranch: '', exclude: [], signatures: true, dictionary: {} };

/** Makes the service in this process. Git and the parser start at first use. */
export function createSnapshotService(options: SnapshotServiceOptions): SnapshotService {
  return new Service(options);
}

class Service implements SnapshotService {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #builder: SnapshotBuilder;
  readonly #history: HistoryQuestions;
  readonly #foreground = new Foreground();
  readonly #background: boolean;
  readonly #logger: Logger;
  readonly #queue = new TakeQueue((request) => this.#takeNow(request));
  #tickets = 0;
  #disposed = false;

  constructor(options: SnapshotServiceOptions) {
    const { store, machine, clock, logger, env = process.env } = options;
    const git = options.git ?? createGit({ env, clock, logger, secret: machine });
    const limitMs = options.parseLimitMs === undefined ? PARSE_LIMIT_MS : options.parseLimitMs;
    const grammars = createGrammarParser({ limitMs });
    const parser = options.parser ?? createParser(limitMs);
    const readers = new TextReaders(parser, grammars);
    const limits = options.limits ?? FILE_LIMITS;
    const cache = options.cache ?? memoryCache();
    this.#store = store;
    this.#logger = logger;
    this.#background = options.background ?? false;
    this.#registry = new Registry(
      { anchors: store.anchors, machine, git, readers, clock, logger, limits, cache, idle: this.#foreground.idle },
      DEFAULT_SETTINGS,
    );
    this.#builder = new SnapshotBuilder({ store, clock, logger });
    const complexity = anyComplexity(scriptComplexity(parser), grammarComplexity(grammars, GRAMMAR_LANGUAGES));
    this.#history = new HistoryQuestions({ outline: textOutline(readers), complexity, cache, clock, logger });
  }

  async configure(settings: SnapshotSettings): Promise<void> {
    this.#alive();
    this.#registry.configure(settings);
  }

  async identify(folder: string): Promise<ProjectIdentity> {
    this.#alive();
    return this.#registry.identify(folder);
  }

  async take(request: TakeRequest): Promise<TakenSnapshot> {
    this.#alive();
    const number = ++this.#tickets;
    return this.#foreground.run(async () => {
      const { identity } = await this.#registry.workspace(request.folder);
      return this.#queue.enqueue(identity.toplevel, { number, request });
    });
  }

  async #takeNow(request: TakeRequest): Promise<TakenSnapshot> {
    this.#alive();
    const workspace = await this.#registry.workspace(request.folder);
    const taken = await this.#builder.take(workspace, request);
    if (this.#background) this.#indexInBackground(workspace);
    return taken;
  }

  #indexInBackground({ index }: Workspace): void {
    index.run().catch((error: unknown) => {
      if (!this.#disposed) this.#logger.warn(`The index of the project is not complete: ${messageOf(error)}`);
    });
  }

  async facts(folder: string, path: string, text: string | null): Promise<FileFacts> {
    this.#alive();
    return this.#foreground.run(async () => factsOf(await this.#registry.workspace(folder), path, text));
  }

  async imports(folder: string, path: string, complete: boolean): Promise<FileImports> {
    this.#alive();
    return importsOf(await this.#registry.workspace(folder), path, complete);
  }

  async index(folder: string, work: 'run' | 'look' | 'cancel'): Promise<IndexState> {
    this.#alive();
    const workspace = await this.#registry.workspace(folder);
    if (work === 'cancel') workspace.index.cancel();
    if (work !== 'run') return workspace.index.state;
    await workspace.listed();
    return workspace.index.run();
  }

  async dependencies(folder: string): Promise<readonly ManifestFacts[]> {
    this.#alive();
    const workspace = await this.#registry.workspace(folder);
    await workspace.listed();
    const { files, manifests } = workspace;
    return manifests.all((path) => files.has(path), files.paths());
  }

  async outline(folder: string, path: string): Promise<Outline> {
    this.#alive();
    const workspace = await this.#registry.workspace(folder);
    const { outline, error } = await workspace.outlines.ofFile(path);
    // Where nothing at all is left of a broken text, why is of more use than that.
    if (error !== null && (outline === null || outline.items.length === 0)) throw error;
    if (!(await workspace.mayRead(path))) {
      throw new ProjectAnchorError(
        'denied',
        `Git ignores ${path}, or could not be asked, so it stays here.`,
        'Name another file, or take it out of .gitignore if it is no secret.',
      );
    }
    if (outline !== null) return outline;
    throw new ProjectAnchorError(
      'no_outline',
      `${path} is in a language without outlines.`,
      'Outlines are read of TypeScript, JavaScript, Vue, Svelte, Python, Go, Rust, Java, C, C++, C#, Ruby, PHP, shell and PowerShell files.',
    );
  }

  async origin(folder: string, path: string): Promise<Origin | null> {
    this.#alive();
    const workspace = await this.#registry.workspace(folder);
    return (await workspace.mayRead(path)) ? workspace.origins.of(path, null) : null;
  }

  async why(folder: string, path: string, symbol: string | null): Promise<Why> {
    this.#alive();
    return this.#history.why(await this.#registry.workspace(folder), path, symbol);
  }

  async commitSymbols(folder: string, revision: string): Promise<CommitSymbols> {
    this.#alive();
    return this.#history.commit(await this.#registry.workspace(folder), revision);
  }

  async together(folder: string, path: string): Promise<readonly TogetherFile[]> {
    this.#alive();
    return this.#history.together(await this.#registry.workspace(folder), path);
  }

  async autoTags(folder: string, options: AutoTagOptions): Promise<AutoTags> {
    this.#alive();
    return this.#history.autoTags(await this.#registry.workspace(folder), options);
  }

  async show(folder: string, ref: string): Promise<Snapshot> {
    this.#alive();
    return findSnapshot(this.#store, await this.#registry.workspace(folder), ref);
  }

  async files(folder: string, ref: string): Promise<readonly FileRow[]> {
    this.#alive();
    const workspace = await this.#registry.workspace(folder);
    return fileRows(this.#store, workspace, await findSnapshot(this.#store, workspace, ref));
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#registry.cancelIndexing();
    await this.#queue.settled();
  }

  #alive(): void {
    if (this.#disposed) throw new ProjectAnchorError('disposed', 'The snapshot service has ended.');
  }
}
