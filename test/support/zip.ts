import { inflateRawSync } from 'node:zlib';

/** One file of an archive. */
export interface ZipEntry {
  readonly name: string;
  /** Unix permission bits, 0 where the archive keeps none. */
  readonly mode: number;
  read(): Buffer;
}

const END = 0x06054b50;
const HEADER = 0x02014b50;
const DEFLATED = 8;

/**
 * The files of a zip archive by its central directory (no zip64, no encryption: packages of the editor have neither).
 * @throws when it is not such an archive
 */
export function zipEntries(archive: Buffer): ZipEntry[] {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('not a zip archive');
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== HEADER) throw new Error(`no file header at ${at}`);
    const method = archive.readUInt16LE(at + 10);
    const packed = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const mode = (archive.readUInt32LE(at + 38) >>> 16) & 0o777;
    const local = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    entries.push({
      name,
      mode,
      read: () => {
        const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
        const bytes = archive.subarray(start, start + packed);
        return method === DEFLATED ? inflateRawSync(bytes) : Buffer.from(bytes);
      },
    });
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}
