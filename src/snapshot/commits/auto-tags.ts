import { setImmediate as eventsHandled } from 'node:timers/promises';
import { type Clock, codeOf, type Logger, messageOf } from '../../base/index.ts';
import type { Gate } from '../gate.ts';
import { type Attributes, isAttributesFile, originOf, readAttributes } from '../generated.ts';
import type { CommitWithFiles, GitRepository, TrackedFile } from '../git-port.ts';
import { languageOf } from '../languages.ts';
import { decodePath, encodePath } from '../targets.ts';
import { type Activity, activityOf, CHURN_MS, churning, STALE_MS } from './activity.ts';
import { type IndexCache, kept } from './cache.ts';
import type { ComplexityReader } from './complexity.ts';

/** Keys of tags that follow from code and history. */
export type AutoTagKey = 'complexity' | 'ownership' | 'churn';

export interface AutoTag {
  readonly target: string;
  readonly key: AutoTagKey;
  readonly value: string;
}

/** The automatic tags that should hold now, as far as they are known. */
export interface AutoTags {
  /** HEAD that they are of; null before the first commit. */
  readonly commit: string | null;
  /** All there are of the keys below. */
  readonly tags: readonly AutoTag[];
  /** Keys that could be told; of the others nothing is known, and what holds goes on to hold. */
  readonly keys: readonly AutoTagKey[];
  /** False when a round was not enough: ask again, and nothing is lost. */
  readonly done: boolean;
}

export interface AutoTagOptions {
  /** `projectAnchor.tags.complexityThreshold`; 0 for no such tags. */
  readonly complexityThreshold: number;
}

export interface AutoTagParts {
  readonly repository: GitRepository;
  readonly gate: Gate;
  readonly complexity: ComplexityReader;
  readonly cache: IndexCache;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Tags of one key, the strongest first: the log is no place for a list of the project's files. */
const MAX_TAGS = 500;
/** Work of one round, a second or so: texts that are parsed, files that are blamed. */
const ROUND_TEXTS = 200;
const ROUND_BLAMES = 25;
/** Old files whose lines' authors are looked up, all rounds together. */
const MAX_OLD_FILES = 2_000;
/** Commits of the last year that are looked at: where there are more nobody can say what none of them touched. */
const MAX_COMMITS = 5_000;
const DAY_MS = 86_400_000;
const KINDS = { result: 'auto-tags.2', complexity: 'complexity.2', authors: 'line-authors.1' } as const;

/** What is known of a HEAD and a day before the rounds begin. */
interface Basis {
  readonly key: string;
  readonly head: string;
  readonly files: readonly TrackedFile[];
  readonly attributes: Attributes;
  /** Null where the history is not here, or too long for the time that churn is counted over. */
  readonly churning: readonly string[] | null;
  /** Who is still active, and the files that nobody touched for a year; null where lines cannot be blamed. */
  readonly old: { readonly active: ReadonlySet<string>; readonly files: readonly TrackedFile[] } | null;
}

/** Works the automatic tags of one working tree out, in rounds; what a round found out is not done again. */
export class AutoTagRounds {
  readonly #parts: AutoTagParts;
  #basis: Basis | null = null;

  constructor(parts: AutoTagParts) {
    this.#parts = parts;
  }

  /** One round. */
  async next({ complexityThreshold: threshold }: AutoTagOptions): Promise<AutoTags> {
    const { repository, cache, clock } = this.#parts;
    const head = await repository.resolve('HEAD');
    if (head === null) return { commit: null, tags: [], keys: [], done: true };
    const key = `${head} ${Math.floor(clock.now() / DAY_MS)}`;
    const place = repository.place.gitDir;
    const before = kept<{ readonly key: string; readonly result: AutoTags }>(cache, KINDS.result, place);
    if (before?.key === `${key} ${threshold}`) return this.#allowed(before.result);
    if (this.#basis?.key !== key) this.#basis = await this.#look(key, head);
    const result = await this.#round(this.#basis, threshold);
    if (result.done) {
      this.#basis = null;
      cache.put(KINDS.result, place, JSON.stringify({ key: `${key} ${threshold}`, result }));
    }
    return result;
  }

  /** The rules of what may leave are not part of the key. */
  #allowed(result: AutoTags): AutoTags {
    return { ...result, tags: result.tags.filter(({ target }) => this.#parts.gate.path(decodePath(target)).ok) };
  }

  async #round(basis: Basis, threshold: number): Promise<AutoTags> {
    const { gate } = this.#parts;
    const tags: AutoTag[] = [];
    const keys: AutoTagKey[] = ['complexity'];
    const add = (key: AutoTagKey, value: string, paths: readonly string[]) => {
      const targets = paths.map(encodePath).filter((target) => gate.text(target).ok);
      tags.push(...targets.slice(0, MAX_TAGS).map((target) => ({ target, key, value })));
    };
    const complex = threshold > 0 ? await this.#complex(basis, threshold) : [];
    if (complex !== null) add('complexity', 'high', complex);
    if (basis.churning !== null) {
      keys.push('churn');
      add('churn', 'high', basis.churning);
    }
    const stale = basis.old === null ? [] : await this.#stale(basis.head, basis.old);
    if (basis.old !== null) {
      keys.push('ownership');
      add('ownership', 'stale', stale ?? []);
    }
    return { commit: basis.head, tags, keys, done: complex !== null && stale !== null };
  }

  async #look(key: string, head: string): Promise<Basis> {
    const { repository, gate, clock } = this.#parts;
    const tracked = await repository.tracked();
    const attributes = await this.#attributes(tracked);
    const files = tracked.filter(
      ({ path, kind }) => kind === 'file' && gate.path(path).ok && originOf(path, null, attributes) === null,
    );
    const now = clock.now();
    const [shallow, { partial }] = await Promise.all([repository.shallowStamp(), repository.config()]);
    const commits = await this.#lastYear(head, now);
    const covered = commits === null ? 0 : timeCovered(commits, now);
    const activity = commits === null || covered < CHURN_MS ? null : activityOf(commits, now);
    // The first commit of a shallow clone seems to have made everything, and blame needs texts that a partial one has not.
    const isWhole = shallow === null && !partial && covered >= STALE_MS;
    const basis = {
      key,
      head,
      files,
      attributes,
      churning: activity === null ? null : await this.#churning(activity, files, attributes),
    };
    if (activity === null || !isWhole) return { ...basis, old: null };
    const active = await repository.authorsSince(now - STALE_MS);
    const untouched = files.filter(({ path }) => !activity.touched.has(path) && languageOf(path) !== undefined);
    return { ...basis, old: { active, files: untouched.slice(0, MAX_OLD_FILES) } };
  }

  async #attributes(tracked: readonly TrackedFile[]): Promise<Attributes> {
    const files = tracked.filter(({ path, kind }) => kind === 'file' && isAttributesFile(path));
    const texts = await this.#textsOf(files);
    return readAttributes(files.map(({ path, oid }) => [path, texts.get(oid) ?? '']));
  }

  async #churning(
    activity: Activity,
    files: readonly TrackedFile[],
    attributes: Attributes,
  ): Promise<readonly string[]> {
    const there = new Map(files.map((file) => [file.path, file]));
    const found = churning(activity, (path) => there.has(path));
    const texts = await this.#textsOf(found.flatMap((path) => there.get(path) ?? []));
    return found.filter((path) => {
      return originOf(path, texts.get(there.get(path)?.oid ?? '') ?? null, attributes) === null;
    });
  }

  async #textsOf(files: readonly TrackedFile[]): Promise<ReadonlyMap<string, string>> {
    return files.length === 0 ? new Map() : this.#parts.repository.texts(files.map(({ oid }) => oid));
  }

  /** Newest first; MAX_COMMITS of them when there are more. */
  async #lastYear(head: string, now: number): Promise<readonly CommitWithFiles[] | null> {
    const { repository, logger } = this.#parts;
    try {
      return await repository.changesSince(null, head, MAX_COMMITS, now - STALE_MS);
    } catch (error) {
      // A clone without trees has no list of what commits changed.
      if (codeOf(error) !== 'git_failed' && codeOf(error) !== 'git_timeout') throw error;
      logger.debug(`No history of files: ${messageOf(error)}`);
      return null;
    }
  }

  /** Files with a function at or above the threshold, the most complex first; null when there is more to read. */
  async #complex({ files, attributes }: Basis, threshold: number): Promise<readonly string[] | null> {
    const { cache, complexity } = this.#parts;
    const found: { readonly path: string; readonly value: number }[] = [];
    const unread: TrackedFile[] = [];
    for (const file of files.filter(({ path }) => complexity.languages.has(languageOf(path) ?? ''))) {
      const value = kept<number>(cache, KINDS.complexity, blobKey(file));
      if (value === undefined && file.sparse !== true) unread.push(file);
      else found.push({ path: file.path, value: value ?? 0 });
    }
    const now = unread.slice(0, ROUND_TEXTS);
    const texts = await this.#textsOf(now);
    const read: (readonly [file: TrackedFile, value: number])[] = [];
    for (const file of now) {
      // Between two of them whoever else waits for this thread has a turn.
      await eventsHandled();
      read.push([file, await this.#complexityOf(file.path, texts.get(file.oid), attributes)]);
    }
    cache.batch(() => {
      for (const [file, value] of read) cache.put(KINDS.complexity, blobKey(file), JSON.stringify(value));
    });
    found.push(...read.map(([{ path }, value]) => ({ path, value })));
    if (unread.length > now.length) return null;
    return found
      .filter(({ value }) => value >= threshold)
      .sort((a, b) => b.value - a.value || (a.path < b.path ? -1 : 1))
      .map(({ path }) => path);
  }

  /** Of the most complex function; 0 where there is none, or nothing can be told. */
  async #complexityOf(path: string, text: string | undefined, attributes: Attributes): Promise<number> {
    const { complexity, gate } = this.#parts;
    if (text === undefined || !gate.file(path, Buffer.byteLength(text), text).ok) return 0;
    if (originOf(path, text, attributes) !== null) return 0;
    const functions = (await complexity.read(path, text)) ?? [];
    return functions.reduce((most, { value }) => Math.max(most, value), 0);
  }

  /** Old files none of whose authors is still active; null when there are more to blame. */
  async #stale(head: string, { active, files }: NonNullable<Basis['old']>): Promise<readonly string[] | null> {
    const { cache } = this.#parts;
    const stale: string[] = [];
    let left = ROUND_BLAMES;
    for (const file of files) {
      let authors = kept<readonly string[]>(cache, KINDS.authors, blobKey(file));
      if (authors === undefined) {
        if (left === 0) return null;
        left -= 1;
        authors = await this.#lineAuthors(head, file.path);
        cache.put(KINDS.authors, blobKey(file), JSON.stringify(authors));
      }
      if (authors.length > 0 && !authors.some((author) => active.has(author))) stale.push(file.path);
      if (stale.length === MAX_TAGS) break;
    }
    return stale;
  }

  /** None where git cannot say: then nobody is told to be gone. */
  async #lineAuthors(head: string, path: string): Promise<readonly string[]> {
    try {
      return [...(await this.#parts.repository.lineAuthors(head, path))];
    } catch (error) {
      if (codeOf(error) !== 'git_failed' && codeOf(error) !== 'git_timeout') throw error;
      this.#parts.logger.debug(`No blame: ${messageOf(error)}`);
      return [];
    }
  }
}

/** How far back commits go without a gap, in ms, at most a year. */
function timeCovered(commits: readonly CommitWithFiles[], now: number): number {
  return commits.length < MAX_COMMITS ? STALE_MS : now - (commits.at(-1)?.at ?? now);
}

/** The same text under another name may be read otherwise. */
function blobKey({ path, oid }: TrackedFile): string {
  return `${oid} ${encodePath(path)}`;
}
