import { hash, timestamp } from '../base/index.ts';
import { commitKinds } from './commit-kinds.ts';
import type { Gate } from './gate.ts';
import type { Commit, GitStatus, StatusEntry } from './git-port.ts';
import type { NotedCommit } from './service.ts';
import { jsonPath } from './targets.ts';
import type { CommitInfo, GitState } from './types.ts';

/** Protocol §3. */
const MAX_LISTED = 200;
/** How many commits `history` covers. */
export const HISTORY = 10;
/** Paths of one noted commit (protocol §5). */
const MAX_COMMIT_PATHS = 50;
/** Code points of a subject: mail clients and git itself wrap long before. */
const MAX_SUBJECT = 200;

/** What the parts of a GitState are made from. */
export interface GitFacts {
  readonly status: GitStatus;
  readonly operation: GitState['operation'];
  /** Newest first, at most `HISTORY`. */
  readonly recent: readonly Commit[];
  /** A shallow or partial clone: older commits or objects are not here. */
  readonly bounded: boolean;
  readonly submodules: GitState['submodules'];
}

/** The state of a folder without a repository, or whose repository cannot be read. */
export function noGitState(head: GitState['head'] = { kind: 'none' }): GitState {
  return { head, staged: [], unstaged: [], untracked: [], conflicted: [], history: hash([]), submodules: [] };
}

/** What protocol §3 says of git; paths that the gate refuses are in no list. */
export function gitStateOf(facts: GitFacts, gate: Gate): GitState {
  const { status, operation, recent, bounded, submodules } = facts;
  const entries = status.entries.filter(({ path }) => gate.path(path).ok);
  const [last] = recent;
  return {
    head: headOf(status),
    ...(status.upstream === undefined ? {} : { upstream: status.upstream }),
    ...listed('staged', entries, ({ staged, conflicted }) => !conflicted && staged !== '.' && staged !== '?'),
    ...listed('unstaged', entries, ({ unstaged, conflicted }) => !conflicted && unstaged !== '.' && unstaged !== '?'),
    ...listed('untracked', entries, ({ staged }) => staged === '?'),
    ...listed('conflicted', entries, ({ conflicted }) => conflicted),
    ...(operation === undefined ? {} : { operation }),
    history: hash(recent.slice(0, HISTORY).map(({ commit }) => commit)),
    ...(bounded ? { bounded } : {}),
    ...(last === undefined ? {} : { lastCommit: commitInfo(last, gate) }),
    submodules,
  };
}

type ListName = 'staged' | 'unstaged' | 'untracked' | 'conflicted';
type Lists = Pick<GitState, ListName | `${ListName}More`>;

function listed(name: ListName, entries: readonly StatusEntry[], belongs: (entry: StatusEntry) => boolean): Lists {
  const paths = entries.filter(belongs).map(({ path }) => jsonPath(path));
  const more = paths.length - MAX_LISTED;
  return { [name]: paths.slice(0, MAX_LISTED), ...(more > 0 ? { [`${name}More`]: more } : {}) } as unknown as Lists;
}

function headOf({ commit, branch }: GitStatus): GitState['head'] {
  if (branch === null) return commit === null ? { kind: 'none' } : { kind: 'detached', commit };
  return commit === null ? { kind: 'unborn', branch } : { kind: 'branch', branch, commit };
}

/** A commit as snapshots and deltas carry it: its subject is cut, and withheld when it holds a credential. */
export function commitInfo({ commit, subject, at }: Commit, gate: Gate): CommitInfo {
  const characters = [...subject.normalize('NFC')];
  const short = characters.length > MAX_SUBJECT ? `${characters.slice(0, MAX_SUBJECT - 1).join('')}…` : subject;
  return {
    commit,
    subject: gate.text(subject).ok ? short.toWellFormed() : '(withheld)',
    at: timestamp(at),
    kinds: commitKinds(subject),
  };
}

/** The same with the paths it changed. */
export function notedCommit(commit: Commit, paths: readonly string[], gate: Gate): NotedCommit {
  const allowed = paths.filter((path) => gate.path(path).ok).map(jsonPath);
  const more = allowed.length - MAX_COMMIT_PATHS;
  return { ...commitInfo(commit, gate), paths: allowed.slice(0, MAX_COMMIT_PATHS), ...(more > 0 ? { more } : {}) };
}
