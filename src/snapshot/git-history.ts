import { decode } from './encoding.ts';
import { records } from './git-parse.ts';
import type { BlobSize, ChangedFile, CommitWithFiles } from './git-port.ts';
import { pathFromBytes } from './targets.ts';

/** Turns an address into a key that tells nobody whose it is, and is the same for the same address. */
export type AuthorKey = (address: string) => string;

/** Fields of one commit before its raw records; addresses as the repository's mailmap has them. */
export const FILES_FORMAT = '%x01%H%x00%ct%x00%aE%x00%cE%x00%s%x00%b%x00';
const FIELDS = 5;

/** The same without messages, where many commits are asked for. */
export const BRIEF_FORMAT = '%x01%H%x00%ct%x00%aE%x00%cE%x00%s%x00%x00';

/** What every log of files asks for. */
export const RAW_FLAGS = ['--raw', '--no-abbrev', '--root', '-l1000', `--format=${FILES_FORMAT}`] as const;

/** Reads `git log -z --raw --no-abbrev --format=FILES_FORMAT`, combined raw records of merges included. */
export function parseFileLog(output: Buffer, keyOf: AuthorKey): readonly CommitWithFiles[] {
  const commits: (CommitWithFiles & { readonly files: ChangedFile[] })[] = [];
  const all = records(output);
  for (const record of all) {
    if (record[0] === 0x01) {
      const fields = Array.from({ length: FIELDS }, () => all.next().value?.toString('utf8') ?? '');
      const [at, author = '', committer = '', subject = '', body = ''] = fields;
      const authors = [...new Set([author, committer].filter((each) => each !== '').map(keyOf))];
      const commit = record.toString('latin1', 1);
      commits.push({ commit, at: Number(at) * 1000, subject, body: body.trim(), authors, files: [] });
      continue;
    }
    // A line end separates a commit from its first record.
    const header = record.toString('latin1').replace(/^\n/, '');
    if (!header.startsWith(':')) continue;
    const file = changedFile(header, all);
    if (file !== null) commits.at(-1)?.files.push(file);
  }
  return commits;
}

const REGULAR = /^100/;

/** @param header `:mode mode oid oid status`, with a further colon, mode and id for every further parent of a merge */
function changedFile(header: string, all: Iterator<Buffer>): ChangedFile | null {
  const parents = /^:+/.exec(header)?.[0].length ?? 1;
  const words = header.slice(parents).split(' ');
  const modes = words.slice(0, parents + 1);
  const oids = words.slice(parents + 1, 2 * parents + 2);
  const status = words[2 * parents + 2] ?? '';
  const first = nextPath(all);
  const moved = parents === 1 && /^[RC]/.test(status);
  const path = moved ? nextPath(all) : first;
  const ids = oids.map((oid, at) => (REGULAR.test(modes[at] ?? '') && /[^0]/.test(oid) ? oid : null));
  const after = ids[parents] ?? null;
  // Following one file git also finds what it is a copy of, which is there still: the file is new all the same.
  const before = status.startsWith('C') ? [null] : ids.slice(0, parents);
  if (after === null && before.every((oid) => oid === null)) return null;
  return { path, before, after, ...(moved && status.startsWith('R') ? { from: first } : {}) };
}

function nextPath(all: Iterator<Buffer>): string {
  const next = all.next();
  return next.done === true ? '' : pathFromBytes(next.value);
}

/** Reads `git log -z --format=%aE%x00%cE`. */
export function parseAuthors(output: Buffer, keyOf: AuthorKey): ReadonlySet<string> {
  const addresses = new Set(Array.from(records(output), (record) => record.toString('utf8')));
  addresses.delete('');
  return new Set(Array.from(addresses, keyOf));
}

/** Reads `git blame --incremental`: who wrote any of the lines. */
export function parseBlame(output: Buffer, keyOf: AuthorKey): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const [, address = ''] of output.toString('utf8').matchAll(/^author-mail <(.*)>$/gm)) addresses.add(address);
  return new Set(Array.from(addresses, keyOf));
}

/** Reads `git cat-file --batch-check`; what is missing or no blob is left out. */
export function parseSizes(output: Buffer): readonly BlobSize[] {
  return output
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [, oid, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? [];
      return oid === undefined ? [] : [{ oid, size: Number(size) }];
    });
}

/** Reads `git cat-file --batch`; what is missing, or no text, is left out. */
export function parseBlobs(output: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at);
    if (end < 0) break;
    const [, oid, kind, size] = /^(\S+) (\S+) (\d+)$/.exec(output.toString('latin1', at, end)) ?? [];
    at = end + 1;
    if (oid === undefined) continue;
    const decoded = kind === 'blob' ? decode(output.subarray(at, at + Number(size))) : null;
    if (decoded?.ok === true) texts.set(oid, decoded.text);
    // A line end follows the content.
    at += Number(size) + 1;
  }
  return texts;
}

/** Cuts blobs into lists whose texts together stay below a size. */
export function inBatches(blobs: readonly BlobSize[], maxBytes: number): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { oid, size } of blobs) {
    if (bytes + size > maxBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(oid);
    bytes += size;
  }
  return batches;
}
