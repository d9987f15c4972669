import { createHash } from 'node:crypto';
import type {
  BranchCommit,
  Commit,
  CommitWithPaths,
  Divergence,
  GitConfig,
  GitStatus,
  HeadMove,
  StatusEntry,
  TrackedFile,
} from './git-port.ts';
import { pathFromBytes } from './targets.ts';

/** The records of an output made with `-z`. */
export function* records(output: Buffer): Generator<Buffer> {
  let from = 0;
  for (let at = output.indexOf(0); at >= 0; at = output.indexOf(0, from)) {
    yield output.subarray(from, at);
    from = at + 1;
  }
  if (from < output.length) yield output.subarray(from);
}

/** Where the `count`-th space of a record is; the fields before a path are ASCII. */
function behindFields(record: Buffer, count: number): number {
  let at = -1;
  for (let n = 0; n < count; n++) {
    at = record.indexOf(0x20, at + 1);
    if (at < 0) throw new Error(`unexpected status record: ${record.toString('latin1').slice(0, 60)}`);
  }
  return at + 1;
}

/** How many fields stand before the path, by the kind of record of `status --porcelain=v2`. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

function entryOf(record: Buffer, from: string | undefined): StatusEntry {
  const kind = record.toString('latin1', 0, 1);
  const at = behindFields(record, FIELDS[kind] ?? 0);
  const [, xy = '..', submodule = 'N...'] = record.toString('latin1', 0, at).split(' ');
  return {
    path: pathFromBytes(record.subarray(at)),
    staged: xy.charAt(0),
    unstaged: xy.charAt(1),
    conflicted: kind === 'u',
    ...(from === undefined ? {} : { from }),
    ...(submodule.startsWith('S') ? { submodule: { dirty: /[MU]/.test(submodule) } } : {}),
  };
}

/** Reads `git status --porcelain=v2 -z --branch --untracked-files=all`. Unknown headers are passed over. */
export function parseStatus(output: Buffer): GitStatus {
  const headers = new Map<string, string>();
  const entries: StatusEntry[] = [];
  const all = records(output);
  for (const record of all) {
    const kind = record.toString('latin1', 0, 1);
    if (kind === '#') {
      const [, name = '', ...rest] = record.toString('utf8').split(' ');
      headers.set(name, rest.join(' '));
    } else if (kind === '?') {
      const path = pathFromBytes(record.subarray(2));
      entries.push({ path, staged: '?', unstaged: '?', conflicted: false });
    } else if (kind === '2') {
      const from = all.next();
      entries.push(entryOf(record, from.done === true ? undefined : pathFromBytes(from.value)));
    } else if (kind in FIELDS) {
      entries.push(entryOf(record, undefined));
    }
  }
  return { ...headOf(headers), entries, stamp: createHash('sha256').update(output).digest('hex') };
}

function headOf(headers: ReadonlyMap<string, string>): Omit<GitStatus, 'entries' | 'stamp'> {
  const oid = headers.get('branch.oid');
  const head = headers.get('branch.head');
  const upstream = headers.get('branch.upstream');
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(headers.get('branch.ab') ?? '') ?? [];
  return {
    commit: oid === undefined || oid === '(initial)' ? null : oid,
    branch: head === undefined || head === '(detached)' ? null : head,
    // Without counts the upstream branch is gone.
    ...(upstream === undefined || ahead === undefined
      ? {}
      : { upstream: { name: upstream, ahead: Number(ahead), behind: Number(behind) } }),
  };
}

/** Reads `git ls-files -z --stage -t`. */
export function parseTracked(output: Buffer): readonly TrackedFile[] {
  const files: TrackedFile[] = [];
  let last: string | undefined;
  for (const record of records(output)) {
    const tab = record.indexOf(0x09);
    const [tag = '', mode = '', oid = ''] = record.toString('latin1', 0, tab).split(' ');
    const path = pathFromBytes(record.subarray(tab + 1));
    // A conflicted path has up to three stages in a row.
    if (path === last) continue;
    last = path;
    const kind = mode === '160000' ? 'submodule' : mode === '120000' ? 'link' : 'file';
    files.push({ path, kind, oid, ...(tag === 'S' ? { sparse: true } : {}) });
  }
  return files;
}

/** Fields of one commit, in the order of `LOG_FORMAT`. */
export const LOG_FORMAT = '%H%x00%ct%x00%s';

/** Reads `git log -z --format=LOG_FORMAT`. */
export function parseLog(output: Buffer): readonly Commit[] {
  const fields = Array.from(records(output), (record) => record.toString('utf8'));
  const commits: Commit[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    commits.push({ commit: fields[at] ?? '', at: Number(fields[at + 1]) * 1000, subject: fields[at + 2] ?? '' });
  }
  return commits;
}

/** The same with `%x01` in front of each commit, and `--name-only`: the paths follow, each ended by a zero byte. */
export function parseLogWithPaths(output: Buffer): readonly CommitWithPaths[] {
  const commits: { commit: string; at: number; subject: string; paths: string[] }[] = [];
  const all = records(output);
  for (const record of all) {
    if (record[0] === 1 && /^.[0-9a-f]{40,64}$/s.test(record.toString('latin1'))) {
      const at = all.next().value?.toString('utf8');
      const subject = all.next().value?.toString('utf8') ?? '';
      commits.push({ commit: record.toString('latin1', 1), at: Number(at) * 1000, subject, paths: [] });
      continue;
    }
    const paths = commits.at(-1)?.paths;
    // A line end separates the commit from its first path.
    const path = paths?.length === 0 && record[0] === 0x0a ? record.subarray(1) : record;
    if (path.length > 0) paths?.push(pathFromBytes(path));
  }
  return commits;
}

/** Fields of one commit, in the order of `DIVERGENCE_FORMAT`. */
export const DIVERGENCE_FORMAT = '%m%H%x00%P%x00%T%x00%an%x00%at%x00%s';
const DIVERGENCE_FIELDS = 6;

/** Reads `git log -z --left-right --format=DIVERGENCE_FORMAT A...B`, newest first. */
export function parseDivergence(output: Buffer): Divergence {
  const fields = Array.from(records(output), (record) => record.toString('utf8'));
  const gone: BranchCommit[] = [];
  const made: BranchCommit[] = [];
  for (let at = 0; at + DIVERGENCE_FIELDS <= fields.length; at += DIVERGENCE_FIELDS) {
    const [marked = '', parents = '', tree = '', author = '', time, subject = ''] = fields.slice(
      at,
      at + DIVERGENCE_FIELDS,
    );
    const commit: BranchCommit = {
      commit: marked.slice(1),
      parents: parents === '' ? [] : parents.split(' '),
      tree,
      author,
      authoredAt: Number(time) * 1000,
      subject,
    };
    (marked.startsWith('<') ? gone : made).push(commit);
  }
  return { gone: gone.reverse(), made: made.reverse() };
}

/** Reads lines of a reflog: `<from> <to> <who> <time> <zone>\t<action>`. What is no such line is passed over. */
export function parseReflog(text: string): readonly HeadMove[] {
  return text.split('\n').flatMap((line): HeadMove[] => {
    const [, from, to, action = ''] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*(?:\t(.*))?$/.exec(line) ?? [];
    return from === undefined || to === undefined ? [] : [{ from, to, action }];
  });
}

/** Reads `git config --list -z`. */
export function parseConfig(output: Buffer): GitConfig {
  const urls = new Map<string, string>();
  const rewrites: { readonly base: string; readonly prefix: string }[] = [];
  let defaultBranch: string | undefined;
  let partial = false;
  for (const record of records(output)) {
    const [key = '', ...lines] = record.toString('utf8').split('\n');
    const value = lines.join('\n');
    const [section = '', subsection, name] = splitKey(key);
    if (section === 'remote' && name === 'url' && subsection !== undefined) {
      if (!urls.has(subsection)) urls.set(subsection, value);
    } else if (section === 'url' && name === 'insteadof' && subsection !== undefined) {
      rewrites.push({ base: subsection, prefix: value });
    } else if (key === 'init.defaultbranch') {
      defaultBranch = value;
    } else if (key === 'extensions.partialclone' || (section === 'remote' && name === 'promisor')) {
      partial = value !== 'false';
    }
  }
  const remotes = new Map(Array.from(urls, ([name, url]) => [name, rewritten(url, rewrites)]));
  return { remotes, partial, ...(defaultBranch === undefined || defaultBranch === '' ? {} : { defaultBranch }) };
}

/** `section.sub.section.name`: the section and name have no dot, the part between may. */
function splitKey(key: string): [string, string | undefined, string | undefined] {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  if (first < 0) return [key, undefined, undefined];
  return [key.slice(0, first), first === last ? undefined : key.slice(first + 1, last), key.slice(last + 1)];
}

/** Git's own rule: the longest matching prefix is replaced. */
function rewritten(url: string, rewrites: readonly { readonly base: string; readonly prefix: string }[]): string {
  let best: { readonly base: string; readonly prefix: string } | undefined;
  for (const rewrite of rewrites) {
    if (url.startsWith(rewrite.prefix) && rewrite.prefix.length > (best?.prefix.length ?? 0)) best = rewrite;
  }
  return best === undefined ? url : best.base + url.slice(best.prefix.length);
}

/** Reads `git for-each-ref --format=%(refname)%00%(symref)`: name → what it points to, null for a plain ref. */
export function parseRefs(output: Buffer): ReadonlyMap<string, string | null> {
  const refs = new Map<string, string | null>();
  for (const line of output.toString('utf8').split('\n')) {
    const [name = '', target = ''] = line.split('\0');
    if (name !== '') refs.set(name, target === '' ? null : target);
  }
  return refs;
}

/** Reads `git check-ignore -z -v -n --stdin` for one path. */
export function parseIgnored(output: Buffer): boolean {
  const [source = '', , pattern = ''] = Array.from(records(output), (record) => record.toString('utf8'));
  return source !== '' && !pattern.startsWith('!');
}
