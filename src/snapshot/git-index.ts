import type { TrackedFile } from './git-port.ts';
import { pathFromBytes } from './targets.ts';

/**
 * Reads git's index as it is on disk (gitformat-index): that costs no process, and it knows the sizes that files have
 * while git holds them clean. What only newer or special forms hold is left to git: then the answer is null.
 */

/** Bytes of an object id; repositories with longer ones are left to git. */
const ID = 20;
/** Bytes of an entry before its id, and with its flags. */
const STAT = 40;
const FIXED = STAT + ID + 2;
/** Where in an entry the mode and the size stand. */
const MODE = 24;
const SIZE = 36;

/** Bits of an entry's flags, and of the further flags that some have. */
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
/** The bits of the flags that say how long the path is; all of them for one that is as long or longer. */
const LENGTH = 0xfff;

const NOT_ASCII = /[^\0-\x7f]/;

const KINDS: ReadonlyMap<number, TrackedFile['kind']> = new Map([
  [0o100, 'file'],
  [0o120, 'link'],
  [0o160, 'submodule'],
]);

/** The files of an index in its order, a conflicted path once; null when it has a form that only git reads. */
export function parseIndex(bytes: Buffer): readonly TrackedFile[] | null {
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Made for speed, as the first thing that a window waits for: names are compared as the bytes that they are, one
 * character each, and only the few that are not ASCII are decoded.
 */
function parse(bytes: Buffer): readonly TrackedFile[] | null {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return null;
  const files: TrackedFile[] = [];
  let at = 12;
  let name = '';
  for (let left = view.getUint32(8); left > 0; left--) {
    const flags = view.getUint16(at + STAT + ID);
    const extended = (flags & EXTENDED) !== 0;
    const more = extended ? view.getUint16(at + FIXED) : 0;
    let from = at + FIXED + (extended ? 2 : 0);
    let kept = 0;
    if (version === 4) {
      // The path is told by how much of the one before it has to go.
      const removed = varint(view, from);
      from = removed.next;
      kept = name.length - removed.value;
      if (kept < 0) return null;
    }
    const length = flags & LENGTH;
    // The length is that of the whole path; a longer one than fits is only told by the zero byte behind it.
    const end = length === LENGTH ? bytes.indexOf(0, from) : from + length - kept;
    if (end < from || view.getUint8(end) !== 0) return null;
    const before = name;
    name = before.slice(0, kept) + bytes.toString('latin1', from, end);
    const kind = KINDS.get(view.getUint32(at + MODE) >>> 9);
    // A whole folder of a sparse index, and whatever is to come.
    if (kind === undefined) return null;
    if (name !== before) {
      const oid = bytes.toString('hex', at + STAT, at + STAT + ID);
      // Git writes zero where it could not tell a change from the time alone, and does not look at what it assumes.
      const isSure = (flags & ASSUME_VALID) === 0 && kind !== 'submodule';
      const size = (more & SKIP_WORKTREE) !== 0 ? null : isSure ? view.getUint32(at + SIZE) : 0;
      files.push(fileOf(name, kind, oid, size));
    }
    // Version 4 packs them; before it an entry ends with one to eight zero bytes, at a multiple of eight.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return endsWell(bytes, at) ? files : null;
}

/**
 * @param name one character for each byte
 * @param size null for what a sparse checkout leaves out; 0 where git does not say
 */
function fileOf(name: string, kind: TrackedFile['kind'], oid: string, size: number | null): TrackedFile {
  const path = NOT_ASCII.test(name) ? pathFromBytes(Buffer.from(name, 'latin1')) : name;
  if (size === null) return { path, kind, oid, sparse: true };
  return size === 0 ? { path, kind, oid } : { path, kind, oid, size };
}

/** A number in the form of git's pack offsets. */
function varint(view: DataView, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = view.getUint8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = view.getUint8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at };
}

/** Whether extensions that may be ignored lead exactly to the checksum. Lower-case ones change what the entries mean. */
function endsWell(bytes: Buffer, from: number): boolean {
  const end = bytes.length - ID;
  let at = from;
  while (at < end) {
    if (!/^[A-Z]/.test(bytes.toString('latin1', at, at + 4))) return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}
