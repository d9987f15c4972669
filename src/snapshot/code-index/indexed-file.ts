import { createHash } from 'node:crypto';
import type { ImportSite } from '../imports.ts';
import type { Outline } from '../types.ts';

/** What the index knows of one file. */
export interface IndexedFile {
  /** Without signatures. Null for a file that cannot be read, such as a minified one; `problem` says why. */
  readonly outline: Outline | null;
  readonly imports: readonly ImportSite[];
  /** The degraded code without its path: `parse_error`, `minified`, ... */
  readonly problem?: string;
}

/**
 * Another number with every change of what the parsers make of the same text or of the form below: entries of another
 * kind are not read, and go after a while.
 */
const FORMAT = 3;

/** The kind of its entries in the cache. */
export const INDEX_KIND = `file.${FORMAT}`;

/**
 * The key of a file's entry: git's id of its text and the end of its name, which decides the dialect.
 * @param oid git's blob id
 */
export function indexKey(path: string, oid: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return `${oid}${name.slice(Math.max(0, name.lastIndexOf('.')))}`;
}

/** The id that git gives a text, in a repository with ids of the given length (40: SHA-1, 64: SHA-256). */
export function blobId(text: string, length: number): string {
  const bytes = Buffer.from(text, 'utf8');
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/** As the cache keeps it. */
export function encodeFile({ outline, imports, problem }: IndexedFile): string {
  const sites = imports.map(({ passedOn, ...site }) => ({ ...site, ...(passedOn ? { passedOn: [...passedOn] } : {}) }));
  return JSON.stringify({ outline, imports: sites, ...(problem === undefined ? {} : { problem }) });
}

/** Null when it is none of ours. */
export function decodeFile(json: string): IndexedFile | null {
  try {
    const { outline, imports, problem } = JSON.parse(json) as Encoded;
    const sites = imports.map(({ passedOn, ...site }) => ({
      ...site,
      ...(passedOn ? { passedOn: new Map(passedOn) } : {}),
    }));
    return { outline, imports: sites, ...(problem === undefined ? {} : { problem }) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

interface Encoded extends Omit<IndexedFile, 'imports'> {
  readonly imports: readonly (Omit<ImportSite, 'passedOn'> & { readonly passedOn?: [string, string][] })[];
}
