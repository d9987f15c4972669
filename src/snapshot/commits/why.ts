import { ProjectAnchorError } from '../../base/index.ts';
import type { Gate } from '../gate.ts';
import type { ChangedFile, CommitWithFiles, GitRepository } from '../git-port.ts';
import { jsonPath } from '../targets.ts';
import type { CommitInfo } from '../types.ts';
import { type CommitsParts, type FileSymbols, SymbolHistory, toldCommit } from './commit-symbols.ts';
import type { SymbolChange } from './symbol-changes.ts';

/** A commit that made or changed what was asked about. */
export interface WhyCommit extends CommitInfo {
  /** The message behind the subject, without trailers and addresses, at most 1,000 code points. */
  readonly body?: string;
  /**
   * `moved`: the file got another name and the rest stayed. `touched`: it changed the file; whether also the symbol nobody
   * can say, because a text is not here or has no outline.
   */
  readonly change: SymbolChange['change'] | 'moved' | 'touched';
  /** The file's name then, where it was another one. */
  readonly path?: string;
  /** The symbol's or file's name before, where this commit renamed it. */
  readonly was?: string;
  /** Symbols inside of it that changed, full names, where it did not change itself. */
  readonly members?: readonly string[];
}

/** Why something is as it is: the commits behind it. */
export interface Why {
  readonly path: string;
  /** Full name; null for the file as a whole. */
  readonly symbol: string | null;
  /** Newest first, down to the one that added it unless `bounded`. */
  readonly commits: readonly WhyCommit[];
  /** Further commits that were found, older than those. */
  readonly more?: number;
  /** Why the beginning was not reached: history that is not here, or more commits of the file than are looked at. */
  readonly bounded?: 'shallow' | 'partial' | 'limit';
}

/** Commits of a file that are looked at, and those that are told. */
export const MAX_LOOKED_AT = 200;
const MAX_TOLD = 20;
/** Commits whose texts are compared at once. */
const BATCH = 20;
/** Members of one commit that are named. */
const MAX_MEMBERS = 10;

/** A commit of the file, under the name that it had then. */
interface Step {
  readonly commit: CommitWithFiles;
  readonly file: ChangedFile;
}

/**
 * The commits that made or changed a file or a symbol of it, through renames of both.
 * @param symbol full name, as the file has it now; null for the file
 * @throws ProjectAnchorError `no_history` when git has no commit of it
 */
export async function whyOf(parts: CommitsParts, path: string, symbol: string | null): Promise<Why> {
  const { repository, gate } = parts;
  const head = await repository.resolve('HEAD');
  const { log, name } = head === null ? { log: [], name: path } : await logOf(repository, head, path);
  const steps = stepsOf(log.slice(0, MAX_LOOKED_AT), name).filter(({ file }) => gate.path(file.path).ok);
  if (steps.length === 0) {
    throw new ProjectAnchorError(
      'no_history',
      `Git has no commit of ${jsonPath(path)}.`,
      'Name a file that was committed on this branch.',
    );
  }
  const [shallow, { partial }] = await Promise.all([repository.shallowStamp(), repository.config()]);
  const walk = new Walk(parts, path, symbol, new Set(shallow?.split('\n')));
  const reached = await walk.through(steps);
  const { found } = walk;
  const more = found.length - MAX_TOLD;
  const ended = log.length > MAX_LOOKED_AT ? 'limit' : shallow !== null ? 'shallow' : partial ? 'partial' : undefined;
  return {
    path: jsonPath(path),
    symbol,
    commits: found.slice(0, MAX_TOLD),
    ...(more > 0 ? { more } : {}),
    ...(reached || ended === undefined ? {} : { bounded: ended }),
  };
}

/** The commits of a file; a name that no commit has yet may be a rename that is only staged. */
async function logOf(
  repository: GitRepository,
  head: string,
  path: string,
): Promise<{ readonly log: readonly CommitWithFiles[]; readonly name: string }> {
  const log = await repository.fileLog(head, path, MAX_LOOKED_AT + 1);
  // Git may list a merge without the file.
  if (stepsOf(log, path).length > 0 || repository.place.bare) return { log, name: path };
  const from = (await repository.status()).entries.find((entry) => entry.path === path)?.from;
  if (from === undefined) return { log, name: path };
  return { log: await repository.fileLog(head, from, MAX_LOOKED_AT + 1), name: from };
}

/** Commits that are about the file, from its name now backwards. */
function stepsOf(log: readonly CommitWithFiles[], path: string): readonly Step[] {
  const names = new Set([path]);
  return log.flatMap((commit) => {
    const file = commit.files.find((each) => names.has(each.path));
    if (file === undefined) return [];
    if (file.from !== undefined) names.add(file.from);
    return [{ commit, file }];
  });
}

class Walk {
  readonly found: WhyCommit[] = [];
  readonly #parts: CommitsParts;
  readonly #path: string;
  readonly #history: SymbolHistory;
  /** Commits whose parents are not here: what they seem to add was there before. */
  readonly #boundary: ReadonlySet<string>;
  /** The symbol's name, going back in time. */
  #symbol: string | null;

  constructor(parts: CommitsParts, path: string, symbol: string | null, boundary: ReadonlySet<string>) {
    this.#parts = parts;
    this.#path = path;
    this.#history = new SymbolHistory(parts);
    this.#symbol = symbol;
    this.#boundary = boundary;
  }

  /** Whether it came to the commit that added what was asked about. */
  async through(steps: readonly Step[]): Promise<boolean> {
    for (let at = 0; at < steps.length; at += BATCH) {
      const batch = steps.slice(at, at + BATCH);
      const files = this.#symbol === null ? [] : await this.#symbolsOf(batch);
      for (const [index, step] of batch.entries()) {
        const what = this.#symbol === null ? fileChange(step.file, this.#parts.gate) : this.#symbolChange(files[index]);
        if (what === null) continue;
        const isFirstHere = what.change === 'added' && this.#boundary.has(step.commit.commit);
        this.found.push(this.#told(step, isFirstHere ? { change: 'touched' } : what));
        if (what.change === 'added') return !isFirstHere;
      }
    }
    return false;
  }

  #symbolsOf(batch: readonly Step[]): Promise<readonly FileSymbols[]> {
    return this.#history.ofFiles(batch.map(({ commit, file }) => ({ commit: commit.commit, file })));
  }

  #symbolChange(symbols: FileSymbols | undefined): Pick<WhyCommit, 'change' | 'was' | 'members'> | null {
    if (symbols === undefined || symbols.unknown === true) return { change: 'touched' };
    const own = symbols.symbols.find(({ symbol }) => symbol === this.#symbol);
    if (own !== undefined) {
      if (own.was !== undefined) this.#symbol = own.was;
      return { change: own.change, ...(own.was === undefined ? {} : { was: own.was }) };
    }
    const members = symbols.symbols.map(({ symbol }) => symbol).filter((name) => name.startsWith(`${this.#symbol}.`));
    if (members.length > 0) return { change: 'changed', members: members.slice(0, MAX_MEMBERS) };
    // Nobody knows which symbols a list that was cut leaves out.
    return symbols.more === undefined ? null : { change: 'touched' };
  }

  #told({ commit, file }: Step, what: Pick<WhyCommit, 'change' | 'was' | 'members'>): WhyCommit {
    const elsewhere = file.path === this.#path ? {} : { path: jsonPath(file.path) };
    return { ...toldCommit(commit, this.#parts.gate), ...what, ...elsewhere };
  }
}

function fileChange(file: ChangedFile, gate: Gate): Pick<WhyCommit, 'change' | 'was'> {
  if (file.after === null) return { change: 'removed' };
  if (file.before.every((blob) => blob === null)) return { change: 'added' };
  if (file.from === undefined) return { change: 'changed' };
  const was = gate.path(file.from).ok ? { was: jsonPath(file.from) } : {};
  return file.before.includes(file.after) ? { change: 'moved', ...was } : { change: 'changed', ...was };
}
