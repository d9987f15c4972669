import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  BranchCommit,
  ChangedFile,
  Commit,
  CommitWithFiles,
  CommitWithPaths,
  Divergence,
  Git,
  GitConfig,
  GitPlace,
  GitRepository,
  GitStatus,
  HeadMove,
  StatusEntry,
  TrackedFile,
} from '../../src/snapshot/git-port.ts';
import type { GitWorld } from './contracts/git-repository.ts';

type Tree = ReadonlyMap<string, string>;

interface FakeCommit extends Commit {
  readonly parent: string | null;
  readonly tree: Tree;
  readonly authoredAt: number;
  readonly body: string;
  readonly author: string;
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function inByteOrder(paths: Iterable<string>): string[] {
  return [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/**
 * Git in memory: one working tree with an index, branches and commits. Files are written to `root` as well, because the
 * snapshot room looks at them. `failure` is thrown by every question while it is set, those of `failures` by some, and
 * `asked` counts them.
 */
export class FakeGit implements Git, GitRepository, GitWorld {
  readonly place: GitPlace;
  readonly asked: string[] = [];
  failure: Error | null = null;
  /** The same for single questions. */
  readonly failures = new Map<string, Error>();
  #held: Promise<void> = Promise.resolve();
  /** Who commits from now on. */
  author = 'test@example.invalid';
  readonly #files = new Map<string, string>();
  readonly #blobs = new Map<string, string>();
  readonly #commits = new Map<string, FakeCommit>();
  readonly #branches = new Map<string, string>();
  readonly #remotes = new Map<string, string>();
  readonly #moves: HeadMove[] = [];
  #index: Tree | null = null;
  #indexWrites = 0;
  #branch: string | null = 'main';
  #detachedAt: string | null = null;
  /** Commit times go up by a second. */
  #now = Date.UTC(2026, 10, 30);

  constructor(root: string) {
    mkdirSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(root, '.git', 'config'), '');
    this.place = { toplevel: root, gitDir: join(root, '.git'), commonDir: join(root, '.git'), bare: false };
  }

  get repository(): GitRepository {
    return this;
  }

  /** Lets nobody have a status until it is released. */
  hold(): { release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return { release: resolve };
  }

  async open(folder: string): Promise<GitRepository | null> {
    this.#ask('open');
    const { toplevel } = this.place;
    return folder === toplevel || folder.startsWith(`${toplevel}/`) ? this : null;
  }

  write(path: string, text: string): void {
    const file = join(this.place.toplevel, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    this.#files.set(path, text);
  }

  remove(path: string): void {
    rmSync(join(this.place.toplevel, path));
    this.#files.delete(path);
  }

  stage(): void {
    const kept = [...this.#files].filter(([path]) => !this.#ignores(path) || this.#index?.has(path) === true);
    this.#index = new Map(kept.map(([path, text]) => [path, sha1(`blob ${Buffer.byteLength(text)}\0${text}`)]));
    for (const [path, text] of kept) this.#blobs.set(this.#index.get(path) ?? '', text);
    this.#indexWrites++;
  }

  commit(subject: string): string {
    return this.#make(subject, this.#head, null, `commit: ${subject}`);
  }

  amend(subject: string): string {
    const old = this.#commits.get(this.#head ?? '');
    return this.#make(subject, old?.parent ?? null, old?.authoredAt ?? null, `commit (amend): ${subject}`);
  }

  reset(commit: string): void {
    this.#index = this.#commits.get(commit)?.tree ?? null;
    for (const path of this.#files.keys()) if (this.#index?.has(path) !== true) this.remove(path);
    this.#indexWrites++;
    this.#moveTo(commit, `reset: moving to ${commit}`);
  }

  switchTo(branch: string): void {
    const from = this.#head;
    if (from !== null && !this.#branches.has(branch)) this.#branches.set(branch, from);
    this.#branch = branch;
    this.#note(from, `checkout: moving to ${branch}`);
  }

  detach(): void {
    this.#detachedAt = this.#head;
    this.#branch = null;
  }

  addRemote(name: string, url: string): void {
    this.#remotes.set(name, url);
    writeFileSync(join(this.place.commonDir, 'config'), [...this.#remotes].join('\n'));
  }

  async status(): Promise<GitStatus> {
    this.#ask('status');
    await this.#held;
    const head = this.#head === null ? new Map<string, string>() : (this.#commits.get(this.#head)?.tree ?? new Map());
    const index = this.#index ?? new Map<string, string>();
    const entries: StatusEntry[] = [];
    for (const path of inByteOrder(new Set([...head.keys(), ...index.keys()]))) {
      const staged = letter(head.get(path), index.get(path));
      const text = this.#files.get(path);
      const disk = text === undefined ? undefined : sha1(`blob ${Buffer.byteLength(text)}\0${text}`);
      const unstaged = index.has(path) ? letter(index.get(path), disk) : '.';
      if (staged !== '.' || unstaged !== '.') entries.push({ path, staged, unstaged, conflicted: false });
    }
    for (const path of inByteOrder(this.#files.keys())) {
      if (index.has(path) || this.#ignores(path)) continue;
      entries.push({ path, staged: '?', unstaged: '?', conflicted: false });
    }
    const stamp = sha1(JSON.stringify([this.#head, this.#branch, entries]));
    return { commit: this.#head, branch: this.#branch, entries, stamp };
  }

  async tracked(): Promise<readonly TrackedFile[]> {
    this.#ask('tracked');
    return inByteOrder(this.#index?.keys() ?? []).map((path) => ({
      path,
      kind: 'file' as const,
      oid: this.#index?.get(path) ?? '',
    }));
  }

  async indexStamp(): Promise<string | null> {
    return this.#index === null ? null : String(this.#indexWrites);
  }

  async log(commit: string, limit: number): Promise<readonly Commit[]> {
    this.#ask('log');
    return this.#ancestry(commit).slice(0, limit);
  }

  async commitsSince(since: string | null, until: string, limit: number): Promise<readonly CommitWithPaths[]> {
    this.#ask('commitsSince');
    return this.#beyond(until, since)
      .slice(0, limit)
      .map((commit) => ({ ...commit, paths: this.#pathsOf(commit) }));
  }

  async withPaths(commits: readonly string[]): Promise<readonly CommitWithPaths[]> {
    this.#ask('withPaths');
    return commits
      .flatMap((commit) => this.#commits.get(commit) ?? [])
      .map((commit) => ({ ...commit, paths: this.#pathsOf(commit) }));
  }

  async divergence(before: string, now: string, limit: number): Promise<Divergence> {
    this.#ask('divergence');
    const sides = [this.#beyond(before, now), this.#beyond(now, before)].map((side) => side.map(branchCommit));
    const newest = new Set(sides.flat().slice(0, limit));
    const [gone = [], made = []] = sides.map((side) => side.filter((each) => newest.has(each)).toReversed());
    return { gone, made };
  }

  async headMoves(): Promise<readonly HeadMove[]> {
    await Promise.resolve();
    return this.#moves;
  }

  async resolve(revision: string): Promise<string | null> {
    this.#ask('resolve');
    const [, name = '', back = '0'] = /^([^~]*)(?:~(\d+))?$/.exec(revision) ?? [];
    const start = name === 'HEAD' ? this.#head : (this.#branches.get(name) ?? this.#byPrefix(name));
    return start === null ? null : (this.#ancestry(start)[Number(back)]?.commit ?? null);
  }

  async config(): Promise<GitConfig> {
    this.#ask('config');
    return { remotes: new Map(this.#remotes), partial: false };
  }

  async refs(names: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    this.#ask('refs');
    const exists = (name: string) => this.#branches.has(name.replace('refs/heads/', ''));
    return new Map(names.filter(exists).map((name) => [name, null]));
  }

  async isIgnored(path: string): Promise<boolean> {
    this.#ask('isIgnored');
    return this.#ignores(path);
  }

  async operation(): Promise<undefined> {
    await Promise.resolve();
    return undefined;
  }

  async shallowStamp(): Promise<string | null> {
    await Promise.resolve();
    return null;
  }

  async fileLog(commit: string, path: string, limit: number): Promise<readonly CommitWithFiles[]> {
    this.#ask('fileLog');
    let name = path;
    const found: CommitWithFiles[] = [];
    for (const each of this.#ancestry(commit)) {
      const file = this.#withFiles(each).files.find((changed) => changed.path === name);
      if (file === undefined) continue;
      found.push({ ...this.#withFiles(each), files: [file] });
      name = file.from ?? name;
    }
    return found.slice(0, limit);
  }

  async changes(commits: readonly string[]): Promise<readonly CommitWithFiles[]> {
    this.#ask('changes');
    return commits.flatMap((commit) => this.#commits.get(commit) ?? []).map((commit) => this.#withFiles(commit));
  }

  async changesSince(
    since: string | null,
    until: string,
    limit: number,
    from = 0,
  ): Promise<readonly CommitWithFiles[]> {
    this.#ask('changesSince');
    const made = this.#beyond(until, since).filter(({ at }) => at >= from);
    return made.slice(0, limit).map((commit) => ({ ...this.#withFiles(commit), body: '' }));
  }

  async authorsSince(from: number): Promise<ReadonlySet<string>> {
    this.#ask('authorsSince');
    return new Set([...this.#commits.values()].filter(({ at }) => at >= from).map(({ author }) => sha1(author)));
  }

  /** Whoever ever changed the file. */
  async lineAuthors(commit: string, path: string): Promise<ReadonlySet<string>> {
    this.#ask('lineAuthors');
    return new Set((await this.fileLog(commit, path, 1_000)).flatMap(({ authors }) => authors));
  }

  async texts(blobs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    this.#ask('texts');
    const here = blobs.filter((blob) => this.#blobs.has(blob));
    return new Map(here.map((blob) => [blob, this.#blobs.get(blob) ?? '']));
  }

  /** Sets the time, in ms, of commits from now on. */
  setTime(ms: number): void {
    this.#now = ms;
  }

  /** Knows renames without a change only. */
  #withFiles(commit: FakeCommit): CommitWithFiles {
    const before = this.#commits.get(commit.parent ?? '')?.tree ?? new Map<string, string>();
    const paths = this.#pathsOf(commit);
    const gone = paths.filter((path) => !commit.tree.has(path));
    const files = paths.flatMap((path): ChangedFile[] => {
      const after = commit.tree.get(path) ?? null;
      const from = before.has(path) ? undefined : gone.find((other) => before.get(other) === after);
      if (from !== undefined) gone.splice(gone.indexOf(from), 1);
      const old = before.get(from ?? path) ?? null;
      return [{ path, before: [old], after, ...(from === undefined ? {} : { from }) }];
    });
    const moved = new Set(files.flatMap(({ from }) => from ?? []));
    const { commit: id, at, subject, body, author } = commit;
    const told = files.filter(({ path, after }) => after !== null || !moved.has(path));
    return { commit: id, at, subject, body, authors: [sha1(author)], files: told };
  }

  get #head(): string | null {
    return this.#branch === null ? this.#detachedAt : (this.#branches.get(this.#branch) ?? null);
  }

  #make(message: string, parent: string | null, authoredAt: number | null, action: string): string {
    const [subject = '', ...rest] = message.split('\n');
    const body = rest.join('\n').trim();
    this.stage();
    this.#now += 1000;
    const commit = sha1(`${parent} ${subject} ${this.#now} ${this.#commits.size}`);
    const tree = new Map(this.#index ?? []);
    const { author } = this;
    const at = this.#now;
    this.#commits.set(commit, { commit, subject, body, author, at, authoredAt: authoredAt ?? at, parent, tree });
    this.#moveTo(commit, action);
    return commit;
  }

  #moveTo(commit: string, action: string): void {
    const from = this.#head;
    if (this.#branch === null) this.#detachedAt = commit;
    else this.#branches.set(this.#branch, commit);
    this.#note(from, action);
  }

  #note(from: string | null, action: string): void {
    this.#moves.push({ from: from ?? '0'.repeat(40), to: this.#head ?? '0'.repeat(40), action });
  }

  #beyond(until: string, since: string | null): FakeCommit[] {
    const old = new Set(since === null ? [] : this.#ancestry(since).map(({ commit }) => commit));
    return this.#ancestry(until).filter(({ commit }) => !old.has(commit));
  }

  #ask(question: string): void {
    this.asked.push(question);
    const failure = this.failure ?? this.failures.get(question);
    if (failure !== undefined) throw failure;
  }

  #byPrefix(prefix: string): string | null {
    if (prefix.length < 7) return null;
    return [...this.#commits.keys()].find((commit) => commit.startsWith(prefix)) ?? null;
  }

  #ancestry(commit: string): FakeCommit[] {
    const commits: FakeCommit[] = [];
    for (let at = this.#commits.get(commit); at !== undefined; at = this.#commits.get(at.parent ?? ''))
      commits.push(at);
    return commits;
  }

  #pathsOf({ parent, tree }: FakeCommit): readonly string[] {
    const before = this.#commits.get(parent ?? '')?.tree ?? new Map<string, string>();
    const all = new Set([...before.keys(), ...tree.keys()]);
    return inByteOrder([...all].filter((path) => before.get(path) !== tree.get(path)));
  }

  /** Knows patterns of the form `*.ending` only. */
  #ignores(path: string): boolean {
    const rules = (this.#files.get('.gitignore') ?? '').split('\n').filter((rule) => rule.startsWith('*'));
    return rules.some((rule) => path.endsWith(rule.slice(1)));
  }
}

function branchCommit({ commit, parent, tree, authoredAt, subject }: FakeCommit): BranchCommit {
  const parents = parent === null ? [] : [parent];
  return { commit, parents, tree: sha1(JSON.stringify([...tree])), author: 'Test', authoredAt, subject };
}

function letter(before: string | undefined, after: string | undefined): string {
  if (before === after) return '.';
  return before === undefined ? 'A' : after === undefined ? 'D' : 'M';
}
