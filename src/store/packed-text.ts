import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** A text as a row keeps it: plain, or deflated. */
export type PackedText = string | Uint8Array;

/** Shorter ones stay plain: there is little to gain, and a person with a database tool can read them. */
const PLAIN_BELOW = 384;
/** The same where an earlier form of the text is at hand. */
const PLAIN_BELOW_EARLIER = 96;
/** A deflated row that claims more than this is damaged. */
const MOST_BYTES = 256 * 1024 * 1024;
/** First byte of what was deflated with the words below. */
const FORM = 1;

/**
 * Words that most rows have, the commonest last. Rows can only be read with the very words they were written with: this
 * list never changes, another one gets a form of its own.
 */
const WORDS = [
  '"schema":"projectanchor.snapshot.v1","trigger":"interval"manual"mark"commit"hook"editor","upstream":{"ahead":0,"behind":0,',
  '"degraded":[],"dependencies":"","files":{"byLanguage":{"css":"html":"js":"json":"md":"py":"ts":"tsx":},"bytes":,"count":,"tree":"',
  '"git":{"conflicted":[],"head":{"branch":"main","commit":"","kind":"branch"},"history":"","lastCommit":{"at":"2026-',
  'T00:00:00.000Z","commit":"","kinds":["feat","fix","refactor"],"subject":""},"operation":"rebase","staged":[],"submodules":[],',
  '"unstaged":["src/"],"untracked":[]},"marks":"","outlines":{},"parent":null,"takenAt":"2026-',
  '{"entries":[{"kind":"directory","name":"","node":"","size":0},{"kind":"file","language":"ts","name":".ts","oid":"","size":',
  '{"agent":"vscode-","session":"},"base":"ops":[{"at":"2026-","by":"user","op":"add_focus","target":"src/","op":"add_tag","source":"user",',
  '"value":"high"{"op":"remove_focus","op":"remove_tag","op":"note_commit","op":"rewrite_history","pairs":[{"new":"","old":"',
  '"changed":[],"op":"update_files","op":"update_dependencies","op":"update_active","path":"src/","op":"remove_outline","path":"',
  '"op":"update_git","workspace":""}],"schema":"projectanchor.delta.v1","snapshot":"","op":"update_outline","outline":{"items":[',
  '{"end":,"kind":"enum","kind":"namespace","kind":"getter","kind":"setter","kind":"variable","kind":"type","kind":"constructor",',
  '"signature":"constructor(private readonly ","signature":"export default ","signature":"type ","signature":"const ',
  'Promise<void>","start":string[]>number): boolean): unknown): Record<string, ReadonlyMap<string | null | undefined',
  '},{"end":,"exported":true,"kind":"interface","name":"","signature":"interface ","start":},{"end":,"kind":"property","name":"",',
  '"of":"","signature":"readonly ","start":},{"end":,"exported":true,"kind":"class","name":"","signature":"class extends ","start":},',
  '{"end":,"exported":true,"kind":"constant","name":"","signature":"const ","start":},{"end":,"kind":"method","name":"","of":"",',
  '"signature":"async (","start":},{"end":,"exported":true,"kind":"function","name":"","signature":"function (","start":',
  '}],"language":"ts","lines":',
].join('');

/** A deflate window has 32 KiB; of what a text is likely to repeat the last so much is of use. */
const MOST_WORDS = 31 * 1024;

/**
 * Deflates a text for its row, unless that gains nothing.
 * @param repeats texts that this one is likely to repeat
 * @param earlier the first of them is an earlier form of it
 */
export function packText(text: string, repeats: readonly string[] = [], earlier = false): PackedText {
  if (text.length < (earlier ? PLAIN_BELOW_EARLIER : PLAIN_BELOW)) return text;
  const bytes = Buffer.from(text, 'utf8');
  // A lone surrogate would not come back.
  if (bytes.toString('utf8') !== text) return text;
  const packed = deflateRawSync(bytes, { dictionary: wordsOf(repeats) });
  return packed.length + 1 < bytes.length ? Buffer.concat([Buffer.of(FORM), packed]) : text;
}

/**
 * The text of a row.
 * @param repeats as it was packed; asked for only where they are needed
 * @throws an error of zlib, or a TypeError, when the row is damaged
 */
export function unpackText(packed: unknown, repeats: () => readonly string[] = () => []): string {
  if (typeof packed === 'string') return packed;
  if (!(packed instanceof Uint8Array) || packed[0] !== FORM) throw new TypeError('a packed text has an unknown form');
  const options = { dictionary: wordsOf(repeats()), maxOutputLength: MOST_BYTES };
  return inflateRawSync(packed.subarray(1), options).toString('utf8');
}

function wordsOf(repeats: readonly string[]): Buffer {
  const words = Buffer.from([WORDS, ...repeats].join(''), 'utf8');
  return words.subarray(Math.max(0, words.length - MOST_WORDS));
}

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A hash or a commit as its bytes; anything else as it is. */
export function packHash(hash: string): string | Uint8Array {
  return HASH.test(hash) ? Buffer.from(hash, 'hex') : hash;
}

/** The hash that `packHash` was given. @throws TypeError for anything that it does not make */
export function unpackHash(packed: unknown): string {
  if (typeof packed === 'string') return packed;
  if (!(packed instanceof Uint8Array)) throw new TypeError('a hash is neither text nor bytes');
  return Buffer.from(packed).toString('hex');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** A UUID as its bytes; anything else as it is. */
export function packId(id: string): string | Uint8Array {
  return UUID.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : id;
}

/** The id that `packId` was given. */
export function unpackId(packed: unknown): string {
  return typeof packed === 'string' ? packed : unpackHash(packed).replace(GROUPS, '$1-$2-$3-$4-$5');
}
