import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, codeOf, type Disposable, disposable, type Logger, messageOf } from '../base/index.ts';
import { stampOf } from './git-moment.ts';
import { Settle } from './settle.ts';
import { Timer } from './timer.ts';

/** How often a repository that cannot be watched is looked at. */
export const POLL_MS = 2000;
/** How often a watched one is looked at, to see whether its events arrive at all. */
export const CHECK_MS = 10_000;
/** An event that is later than this after its change counts as missing. */
export const LATE_MS = 1000;
/** Polls between two attempts to watch again: what other programs hold may have been given back. */
export const RETRY_POLLS = 30;
/** A burst of changes moves folders once. */
const AIM: { readonly quietMs: number; readonly capMs: number } = { quietMs: 100, capMs: 1000 };

/** Why a repository is looked at every now and then instead of being watched. */
export type PollReason =
  /** The machine is out of watches or open files. */
  | 'limit'
  /** Something changed and no event came. */
  | 'silent'
  /** The git directory is not there any more. */
  | 'vanished'
  | 'failed';

const POLLING = `so this repository is looked at every ${POLL_MS / 1000} seconds instead.`;

const SENTENCES: Readonly<Record<PollReason, string>> = {
  limit: `The system is out of file watches, ${POLLING} To have it watched, close other programs or raise the limit (on Linux fs.inotify.max_user_watches and max_user_instances).`,
  silent: `The file system reports no changes, as network and shared folders may do, ${POLLING} There is nothing to do.`,
  vanished: `The git directory is gone, ${POLLING} If it was moved on purpose, open the folder again.`,
  failed: `The git directory cannot be watched, ${POLLING} The log says why.`,
};

/** What a person should know of it. */
export function pollingSentence(reason: PollReason): string {
  return SENTENCES[reason];
}

/** Watches the entries of one folder, not what lies below it; throws when that cannot be done. */
export type WatchFolder = (
  folder: string,
  /** `name` of the entry that was written, replaced or removed, when it is known. */
  changed: (name: string | null) => void,
  failed: (error: unknown) => void,
) => Disposable;

/** The machine's own watches. */
export const watchFolder: WatchFolder = (folder, changed, failed) => {
  const watcher: FSWatcher = watch(folder, { persistent: false });
  watcher.on('change', (_kind, name) => changed(name === null ? null : name.toString()));
  watcher.on('error', failed);
  return disposable(() => watcher.close());
};

/** What is called back. */
export interface GitListener {
  /** HEAD, the index or an operation may have changed. */
  changed(): void;
  /** From now on it is only looked at now and then, for this reason; null when it is watched (again). */
  polling(reason: PollReason | null): void;
}

/** Watches a git directory with the machine's own watches, until disposed. */
export function watchGit(places: GitPlaces, listener: GitListener, clock: Clock, logger: Logger): Disposable {
  const polling = (reason: PollReason | null, error?: unknown) => {
    const why = error === undefined ? '' : ` (${messageOf(error)})`;
    if (reason === null) logger.info(`${places.gitDir} is watched again.`);
    else logger.warn(`${places.gitDir}: ${pollingSentence(reason)}${why}`);
    listener.polling(reason);
  };
  const watching = new GitWatch(places, { watch: watchFolder, changed: () => listener.changed(), polling }, clock);
  watching.start().catch((error: unknown) => logger.error(`The git directory is not followed: ${messageOf(error)}`));
  return watching;
}

export interface GitPlaces {
  /** Of the working tree. */
  readonly gitDir: string;
  /** What linked working trees share. */
  readonly commonDir: string;
}

export interface GitWatchPorts {
  readonly watch: WatchFolder;
  /** HEAD, the index or an operation may have changed. */
  changed(): void;
  /** Null when it is watched (again). */
  polling(reason: PollReason | null, error?: unknown): void;
}

interface Watched {
  readonly inode: string;
  readonly watching: Disposable;
}

/** Entries of a git directory whose change says something; its locks and what a fetch leaves are not among them. */
const TELLING: ReadonlySet<string> = new Set([
  'HEAD',
  'index',
  'ORIG_HEAD',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'packed-refs',
  'logs',
  'refs',
  'reftable',
  'tables.list',
]);

/**
 * Calls back whenever something in a git directory says that HEAD or the index may have changed, whoever changes it.
 * Watches a handful of folders, each by itself: the git directory, its reflog, and where the current branch lies; folders
 * may appear and go. Where watching does not work it looks at a few stamps instead, and says so.
 */
export class GitWatch implements Disposable {
  readonly #places: GitPlaces;
  readonly #ports: GitWatchPorts;
  readonly #aim: Settle;
  readonly #timer: Timer;
  readonly #watched = new Map<string, Watched>();
  #aiming: Promise<void> = Promise.resolve();
  #reason: PollReason | null = null;
  #polls = 0;
  #stamps: string | null = null;
  /** Events since the stamps were last looked at. */
  #events = 0;
  #disposed = false;

  constructor(places: GitPlaces, ports: GitWatchPorts, clock: Clock) {
    this.#places = places;
    this.#ports = ports;
    this.#timer = new Timer(clock);
    this.#aim = new Settle(AIM, clock, () => this.#enqueueAim());
  }

  /** Begins; resolves when what there is now is watched or polled. */
  start(): Promise<void> {
    this.#enqueueAim();
    return this.#aiming.then(() => this.#check());
  }

  dispose(): void {
    this.#disposed = true;
    this.#aim.dispose();
    this.#timer.dispose();
    this.#unwatch();
  }

  #enqueueAim(retry = false): void {
    this.#aiming = this.#aiming.then(() => this.#aimNow(retry)).catch((error: unknown) => this.#poll('failed', error));
  }

  /**
   * Brings the watches in step with the folders as they are now.
   * @param retry also while it is polled
   */
  async #aimNow(retry: boolean): Promise<void> {
    const wanted = new Map<string, string>();
    for (const folder of await this.#folders()) {
      const inode = await inodeOf(folder);
      if (inode !== null) wanted.set(folder, inode);
    }
    if (this.#disposed || (this.#reason !== null && !retry)) return;
    if (!wanted.has(this.#places.gitDir)) {
      this.#poll('vanished');
      return;
    }
    for (const [folder, { inode, watching }] of this.#watched) {
      if (wanted.get(folder) === inode) continue;
      watching.dispose();
      this.#watched.delete(folder);
    }
    const fresh = [...wanted].filter(([folder]) => !this.#watched.has(folder));
    for (const [folder, inode] of fresh) if (!this.#watch(folder, inode)) return;
    this.#watching(fresh.length > 0);
  }

  /** False when it has to be polled from now on. */
  #watch(folder: string, inode: string): boolean {
    const refs = folder.startsWith(join(this.#places.commonDir, 'refs'));
    try {
      const watching = this.#ports.watch(
        folder,
        (name) => {
          // Under its own name a folder tells that it was moved or removed.
          const itself = name === basename(folder);
          if (name === null || itself || (refs ? !name.endsWith('.lock') : TELLING.has(name))) this.#event();
        },
        (error) => this.#poll(reasonOf(error), error),
      );
      this.#watched.set(folder, { inode, watching });
      return true;
    } catch (error) {
      // It went in this moment: its parent tells.
      if (codeOf(error) === 'ENOENT' && folder !== this.#places.gitDir) return true;
      this.#poll(reasonOf(error), error);
      return false;
    }
  }

  #event(): void {
    this.#events += 1;
    this.#ports.changed();
    this.#aim.call();
  }

  /** @param fresh a folder was not watched before: what happened in it until now went unseen. */
  #watching(fresh: boolean): void {
    if (this.#reason !== null) {
      this.#reason = null;
      this.#ports.polling(null);
      this.#timer.start(CHECK_MS, () => void this.#check());
    }
    if (fresh) this.#ports.changed();
  }

  #poll(reason: PollReason, error?: unknown): void {
    if (this.#disposed) return;
    this.#unwatch();
    this.#polls = 0;
    const news = this.#reason !== reason;
    this.#reason = reason;
    if (news) this.#ports.polling(reason, error);
    this.#timer.start(POLL_MS, () => void this.#check());
  }

  /** Looks whether something changed: the only way to see it while polled, and a proof of the events while watched. */
  async #check(): Promise<void> {
    const events = this.#events;
    const stamps = await this.#readStamps();
    if (this.#disposed) return;
    const changed = this.#stamps !== null && stamps !== this.#stamps;
    this.#stamps = stamps;
    if (this.#reason !== null) {
      if (changed) this.#ports.changed();
      this.#polls += 1;
      const again = this.#reason === 'vanished' || (this.#reason !== 'silent' && this.#polls % RETRY_POLLS === 0);
      this.#timer.start(POLL_MS, () => void this.#check());
      if (again) this.#enqueueAim(true);
      return;
    }
    this.#events = 0;
    if (!changed || events > 0) {
      this.#timer.start(CHECK_MS, () => void this.#check());
      return;
    }
    this.#ports.changed();
    this.#timer.start(LATE_MS, () => void this.#conclude());
  }

  /** Something changed a while ago: either its event was late, or the folder is another one, or there are no events. */
  async #conclude(): Promise<void> {
    const { gitDir } = this.#places;
    const inode = await inodeOf(gitDir);
    if (this.#disposed) return;
    if (this.#events > 0) {
      void this.#check();
    } else if (inode === this.#watched.get(gitDir)?.inode) {
      this.#poll('silent');
    } else {
      this.#enqueueAim();
      this.#timer.start(CHECK_MS, () => void this.#check());
    }
  }

  #unwatch(): void {
    for (const { watching } of this.#watched.values()) watching.dispose();
    this.#watched.clear();
  }

  async #folders(): Promise<readonly string[]> {
    const { gitDir, commonDir } = this.#places;
    const branch = await this.#branchFile();
    return [
      ...new Set([
        gitDir,
        join(gitDir, 'logs'),
        join(gitDir, 'reftable'),
        join(commonDir, 'reftable'),
        ...(branch === null ? [] : [await nearestFolder(dirname(branch), commonDir)]),
      ]),
    ];
  }

  async #readStamps(): Promise<string> {
    const { gitDir, commonDir } = this.#places;
    const branch = await this.#branchFile();
    const files = [
      ...['HEAD', 'index', 'logs/HEAD', 'reftable/tables.list'].map((name) => join(gitDir, name)),
      join(commonDir, 'reftable', 'tables.list'),
      ...(branch === null ? [] : [branch]),
    ];
    return JSON.stringify(await Promise.all(files.map(stampOf)));
  }

  /** Where git writes the branch that HEAD is on; null when it is on none. */
  async #branchFile(): Promise<string | null> {
    const { gitDir, commonDir } = this.#places;
    try {
      const ref = /^ref: (refs\/heads\/.+)$/m.exec(await readFile(join(gitDir, 'HEAD'), 'utf8'))?.[1];
      return ref === undefined ? null : join(commonDir, ...ref.trim().split('/'));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return null;
    }
  }
}

function reasonOf(error: unknown): PollReason {
  const code = codeOf(error) ?? '';
  if (['ENOSPC', 'EMFILE', 'ENFILE'].includes(code)) return 'limit';
  return code === 'ENOENT' ? 'vanished' : 'failed';
}

async function inodeOf(folder: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

/** The folder, or what there is of the way to it: git makes the rest with the first file in it. */
async function nearestFolder(folder: string, top: string): Promise<string> {
  let at = folder;
  while (at !== top && (await stampOf(at)) === null) at = dirname(at);
  return at;
}
