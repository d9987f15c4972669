import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, hash, ProjectAnchorError } from '../base/index.ts';
import {
  findDotGit,
  isMeantAsRepository,
  readBranchLeft,
  readConfig,
  readHead,
  readPlace,
  readRefs,
} from './git-files.ts';
import type { Git, GitConfig, GitPlace, GitRepository } from './git-port.ts';
import { chooseRemote } from './remotes.ts';
import { encodePath } from './targets.ts';
import type { Anchor, ProjectIdentity } from './types.ts';

/** What the anchors of this machine are kept in; the store's own part fits. */
export interface AnchorStore {
  byCommonDir(path: string): Anchor | undefined;
  byRepository(repository: string): Anchor | undefined;
  attach(anchor: Anchor, where?: { readonly commonDir?: string }): Anchor;
  addAlias(anchorId: string, alias: string): void;
  aliases(anchorId: string): readonly string[];
  list(): readonly Anchor[];
}

/** A folder's repository, and git to read it with unless that failed. */
export interface Located {
  /** The folder asked for, as a real path. */
  readonly folder: string;
  readonly place: GitPlace | null;
  readonly repository: GitRepository | null;
  /** Why git cannot read the repository that is there, or seems to be. */
  readonly problem: ProjectAnchorError | null;
}

/** Errors of git after which its files are read instead. */
const GIT_ERRORS: ReadonlySet<string> = new Set([
  'git_missing',
  'git_unsafe',
  'git_too_old',
  'git_timeout',
  'git_failed',
]);

/** Id of an anchor (protocol §2). Opaque to everybody else. */
export function anchorId(repository: string, mainBranch: string, attachedAt: string): string {
  return `${repository}#${encodePath(mainBranch)}@${attachedAt}`;
}

/** Key of a working tree on this machine (protocol §2). `toplevel` is a real path. */
export function workspaceId(machine: string, toplevel: string): string {
  return hash(['pa.ws.v1', machine, toplevel]).slice(0, 32);
}

/** `repository` of a repository without a remote, or of a folder without a repository; `path` is a real path. */
export function localRepository(kind: 'local' | 'folder', machine: string, path: string): string {
  return `${kind}:${hash(['pa.repo.v1', machine, path]).slice(0, 32)}`;
}

/**
 * Finds the repository that a folder or file is in.
 * @throws ProjectAnchorError `not_found` when there is no such folder or file.
 */
export async function locate(git: Git, path: string): Promise<Located> {
  const folder = await folderOf(path);
  try {
    const repository = await git.open(folder);
    const problem = repository === null ? await brokenLink(folder) : null;
    return { folder, place: repository?.place ?? null, repository, problem };
  } catch (error) {
    if (!(error instanceof ProjectAnchorError) || !GIT_ERRORS.has(error.code)) throw error;
    const place = await readPlace(folder);
    return { folder, place, repository: null, problem: place === null ? await brokenLink(folder) : error };
  }
}

/** Something called `.git` that git takes for no repository: its own was moved, or lost what makes it one. */
async function brokenLink(folder: string): Promise<ProjectAnchorError | null> {
  const dotGit = await findDotGit(folder);
  if (dotGit === null || !(await isMeantAsRepository(dotGit))) return null;
  return new ProjectAnchorError(
    'git_broken',
    `${dotGit} leads to no repository, so this folder is taken for one without git.`,
    'If the repository was moved, run there: git worktree repair. If it is gone, remove that .git.',
  );
}

async function folderOf(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : dirname(real);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error;
    const remedy = 'Check the path, or give the folder of the project with --cwd.';
    throw new ProjectAnchorError('not_found', `There is no folder or file ${path}.`, remedy, { cause: error });
  }
}

/** What decides about the main branch, each as far as it is known. */
export interface BranchFacts {
  /** What `refs/remotes/<remote>/HEAD` points to, without its `refs/remotes/<remote>/`. */
  readonly remoteHead: string | null;
  /** `projectAnchor.snapshot.mainBranch`, empty when not set. */
  readonly setting: string;
  readonly defaultBranch: string | null;
  /** Of the branches asked for, those that exist here or at the remote. */
  readonly existing: ReadonlySet<string>;
  /** What the anchor has: kept, where nothing else decides, for as long as it exists. */
  readonly known: string | null;
  /** The branch HEAD is on, or has left for a rebase or bisect; null when detached or unborn. */
  readonly current: string | null;
}

/** The rule of protocol §2. */
export function chooseMainBranch(facts: BranchFacts): string {
  if (facts.remoteHead !== null) return facts.remoteHead;
  if (facts.setting !== '') return facts.setting;
  for (const name of [facts.defaultBranch, 'main', 'master', facts.known]) {
    if (name !== null && facts.existing.has(name)) return name;
  }
  return facts.current ?? 'main';
}

/** Repository and main branch of a working tree as they are now. */
interface Facts {
  readonly repository: string;
  readonly mainBranch: string;
}

async function factsOf(located: Located, machine: string, setting: string, known: string | null): Promise<Facts> {
  const { place, repository: git } = located;
  if (place === null) {
    const mainBranch = setting === '' ? 'main' : setting;
    return { repository: localRepository('folder', machine, located.folder), mainBranch };
  }
  const config = git === null ? await readConfig(place) : await git.config();
  const remote = chooseRemote(config.remotes);
  return {
    repository: remote?.repository ?? localRepository('local', machine, place.commonDir),
    mainBranch: chooseMainBranch({
      ...(await refFacts(located, place, config, remote?.name ?? null, known)),
      setting,
      known,
      current: await currentBranch(git, place),
    }),
  };
}

async function currentBranch(git: GitRepository | null, place: GitPlace): Promise<string | null> {
  const head = await readHead(place);
  // In a repository that keeps its refs otherwise the files say nothing.
  const told = head.branch !== null || head.commit !== null || git === null || place.bare;
  const { branch, commit } = told ? head : await git.status();
  if (commit === null) return null;
  return branch ?? readBranchLeft(place);
}

async function refFacts(
  { repository: git }: Located,
  place: GitPlace,
  config: GitConfig,
  remote: string | null,
  known: string | null,
): Promise<Pick<BranchFacts, 'remoteHead' | 'defaultBranch' | 'existing'>> {
  const defaultBranch = config.defaultBranch ?? null;
  const candidates = [...new Set([defaultBranch, 'main', 'master', known])].filter((name) => name !== null);
  const remotePrefix = `refs/remotes/${remote}/`;
  const prefixes = remote === null ? ['refs/heads/'] : ['refs/heads/', remotePrefix];
  const names = candidates.flatMap((name) => prefixes.map((prefix) => `${prefix}${name}`));
  const asked = remote === null ? names : [...names, `${remotePrefix}HEAD`];
  const found = git === null ? await readRefs(place, asked) : await git.refs(asked);
  const target = found.get(`${remotePrefix}HEAD`);
  return {
    remoteHead: target?.startsWith(remotePrefix) === true ? target.slice(remotePrefix.length) : null,
    defaultBranch,
    existing: new Set(candidates.filter((name) => prefixes.some((prefix) => found.has(`${prefix}${name}`)))),
  };
}

export interface IdentifyOptions {
  readonly anchors: AnchorStore;
  /** 128 random bits of this machine (protocol §2). */
  readonly machine: string;
  /** `projectAnchor.snapshot.mainBranch`. */
  readonly mainBranch: string;
  /** Now, in the protocol's time form: `attachedAt` on first sight. */
  readonly now: string;
}

/**
 * Which project a located folder belongs to (protocol §2): by git common directory first, by repository second. The
 * anchor is attached on first sight; a remote or main branch that changed since gives it an alias, never a new anchor.
 */
export async function identify(located: Located, options: IdentifyOptions): Promise<ProjectIdentity> {
  const { anchors, machine } = options;
  const { place } = located;
  const before = place === null ? undefined : anchors.byCommonDir(place.commonDir);
  const facts = await factsOf(located, machine, options.mainBranch, before?.mainBranch ?? null);
  const anchor = before ?? attach(facts, place, options);
  // What files alone say, without includes and the person's own configuration, is no reason for another name.
  const certain = located.repository !== null || place === null;
  if (certain && (anchor.repository !== facts.repository || anchor.mainBranch !== facts.mainBranch)) {
    anchors.addAlias(anchor.id, anchorId(facts.repository, facts.mainBranch, anchor.attachedAt));
  }
  const toplevel = place?.toplevel ?? located.folder;
  return {
    anchor,
    aliases: anchors.aliases(anchor.id),
    workspace: workspaceId(machine, toplevel),
    toplevel,
    gitDir: place?.gitDir ?? null,
    commonDir: place?.commonDir ?? null,
  };
}

function attach({ repository, mainBranch }: Facts, place: GitPlace | null, options: IdentifyOptions): Anchor {
  const { anchors, machine, now } = options;
  const same =
    anchors.byRepository(repository) ?? byFormerRepository(anchors, repository) ?? asFolder(anchors, place, machine);
  if (same !== undefined && place === null) return same;
  const anchor = same ?? { id: anchorId(repository, mainBranch, now), repository, mainBranch, attachedAt: now };
  const attached = anchors.attach(anchor, place === null ? {} : { commonDir: place.commonDir });
  // Another process may have been first; everybody takes the one attached first.
  return place === null ? (anchors.byRepository(repository) ?? attached) : attached;
}

/** A remote that an anchor only has by an alias, because it changed: a fresh clone of it is that project too. */
function byFormerRepository(anchors: AnchorStore, repository: string): Anchor | undefined {
  const ours = (alias: string) => alias.startsWith(`${repository}#`);
  return anchors.list().find(({ id }) => anchors.aliases(id).some(ours));
}

/** What the working tree was before it became a repository: what is known of it stays. */
function asFolder(anchors: AnchorStore, place: GitPlace | null, machine: string): Anchor | undefined {
  return place === null ? undefined : anchors.byRepository(localRepository('folder', machine, place.toplevel));
}
