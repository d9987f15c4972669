import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/index.ts';

/** A line of git's reflog is rarely over 300 bytes; what matters stands in its first 81. */
const REFLOG_TAIL_BYTES = 8192;

/** What HEAD says where references are kept in tables instead of files. */
const REFTABLE_STUB = 'refs/heads/.invalid';

/**
 * What HEAD points to, as an opaque text to compare with an earlier one: its own content and the commit it leads to.
 * Reads two small files of the git directory and starts no process. Null when HEAD cannot be read.
 */
export async function readHead(gitDir: string, commonDir: string): Promise<string | null> {
  const head = await readOrNull(join(gitDir, 'HEAD'));
  if (head === null) return null;
  const logged = commitOfLastLine(await readTail(join(gitDir, 'logs', 'HEAD')));
  if (logged !== null) return `${head.trim()} ${logged}`;
  const ref = /^ref: (.+)$/m.exec(head)?.[1];
  if (ref === REFTABLE_STUB) return readTables(gitDir, commonDir);
  // Without a reflog a commit still rewrites the loose ref; a packed one has not moved since it was packed.
  const loose = ref === undefined ? null : await readOrNull(join(commonDir, ...ref.split('/')));
  return `${head.trim()} ${loose?.trim() ?? ''}`;
}

/** Every change of a reference makes another table; each working tree has its own beside the shared ones. */
async function readTables(gitDir: string, commonDir: string): Promise<string> {
  const folders = [...new Set([gitDir, commonDir])];
  const lists = folders.map((folder) => readOrNull(join(folder, 'reftable', 'tables.list')));
  return (await Promise.all(lists)).join(' ');
}

/** The new commit of the last complete reflog line: `<old> <new> <who> <when>\t<what>`. */
function commitOfLastLine(tail: string | null): string | null {
  const line = tail?.trimEnd().split('\n').at(-1);
  return line === undefined ? null : (/^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? null);
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    return absent(error);
  }
}

async function readTail(file: string): Promise<string | null> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const length = Math.min(size, REFLOG_TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    return absent(error);
  }
}

function absent(error: unknown): null {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null;
  throw error;
}
