import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, codeOf, type Logger, timestamp } from '../base/index.ts';
import { type AnchorStore, identify, type Located, locate } from './anchor.ts';
import type { IndexCache } from './commits/index.ts';
import type { FileLimits } from './files.ts';
import { loadGate } from './gate.ts';
import { findDotGit } from './git-files.ts';
import type { Git } from './git-port.ts';
import type { SnapshotSettings } from './service.ts';
import type { TextReaders } from './text-readers.ts';
import type { ProjectIdentity } from './types.ts';
import { Workspace } from './workspace.ts';

export interface RegistryOptions {
  readonly anchors: AnchorStore;
  readonly machine: string;
  readonly git: Git;
  readonly readers: TextReaders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: FileLimits;
  readonly cache: IndexCache;
  /** Resolves when nothing more urgent is under way. */
  readonly idle: () => Promise<void>;
}

interface Entry {
  readonly workspace: Workspace;
  readonly located: Located;
  readonly stamps: Stamps;
  /** Monotonic ms. */
  readonly madeAt: number;
}

/** Of what an entry was made from. When one changes the project is looked up again; new rules need a new workspace. */
interface Stamps {
  readonly rules: string;
  readonly repository: string;
}

/** Where git could not be used it is tried again, but not at every snapshot. */
const RETRY_MS = 15_000;

/** The working trees in use, each found by any folder or file in it, made anew when their rules or repository change. */
export class Registry {
  readonly #options: RegistryOptions;
  #settings: SnapshotSettings;
  readonly #byFolder = new Map<string, Entry>();

  constructor(options: RegistryOptions, settings: SnapshotSettings) {
    this.#options = options;
    this.#settings = settings;
  }

  /** New rules: every workspace is made again when it is next asked for. */
  configure(settings: SnapshotSettings): void {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    this.#settings = settings;
    this.#byFolder.clear();
  }

  /** Ends passes of indexes that are under way. */
  cancelIndexing(): void {
    for (const { workspace } of this.#byFolder.values()) workspace.index.cancel();
  }

  /** Who the project of a folder is now, looked up afresh. */
  async identify(folder: string): Promise<ProjectIdentity> {
    return (await this.#make(folder)).workspace.identity;
  }

  async workspace(folder: string): Promise<Workspace> {
    const known = this.#byFolder.get(folder);
    if (known !== undefined && (await this.#isFresh(known))) return known.workspace;
    return (await this.#make(folder)).workspace;
  }

  async #isFresh({ located, stamps, madeAt }: Entry): Promise<boolean> {
    if (located.problem !== null && this.#options.clock.monotonic() - madeAt > RETRY_MS) return false;
    const now = await stampsOf(located);
    return stamps.rules === now.rules && stamps.repository === now.repository;
  }

  async #make(folder: string): Promise<Entry> {
    const { anchors, machine, git, clock } = this.#options;
    const settings = this.#settings;
    const located = await locate(git, folder);
    const stamps = await stampsOf(located);
    const now = timestamp(clock.now());
    const identity = await identify(located, { anchors, machine, mainBranch: settings.mainBranch, now });
    const same = [...this.#byFolder.values()].find((entry) => isSame(entry, identity, stamps, located));
    const workspace = same?.workspace ?? (await this.#open(identity, located, settings));
    const entry = { workspace, located, stamps, madeAt: clock.monotonic() };
    if (settings === this.#settings) this.#byFolder.set(folder, entry);
    return entry;
  }

  async #open(identity: ProjectIdentity, located: Located, settings: SnapshotSettings): Promise<Workspace> {
    const { readers, limits, logger, cache, idle } = this.#options;
    const gate = await loadGate(identity.toplevel, settings.exclude);
    return new Workspace(identity, located, {
      gate,
      readers,
      signatures: settings.signatures,
      limits,
      logger,
      cache,
      idle,
    });
  }
}

/** What a workspace keeps goes on to serve, whatever made us look again. */
function isSame(entry: Entry, identity: ProjectIdentity, stamps: Stamps, located: Located): boolean {
  return (
    entry.stamps.rules === stamps.rules &&
    entry.located.problem?.code === located.problem?.code &&
    JSON.stringify(entry.located.place) === JSON.stringify(located.place) &&
    JSON.stringify(entry.workspace.identity) === JSON.stringify(identity)
  );
}

/**
 * Looks at what decides about a workspace without asking git: its rules, and its configuration or that there is no
 * repository. A few looks at the disk, so that a snapshot costs one git process and no more.
 */
async function stampsOf({ place, folder }: Located): Promise<Stamps> {
  const rules = `${stampIn(place?.toplevel ?? folder, '.projectanchorignore')}`;
  if (place === null) return { rules, repository: `${await findDotGit(folder)}` };
  const hasHead = stampIn(place.gitDir, 'HEAD') !== null;
  return { rules, repository: `${hasHead} ${stampIn(place.commonDir, 'config')}` };
}

function stampIn(folder: string, name: string): string | null {
  try {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}
