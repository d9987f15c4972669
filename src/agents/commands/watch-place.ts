import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, hash, ProjectAnchorError } from '../../base/index.ts';
import type { Head } from '../../delta/index.ts';

/** Where a named watch has got to in a project's log; kept across runs. */
export interface WatchPlace {
  /** The file that keeps it, for sentences. */
  readonly file: string;
  /** The last delta that is done with, or null before the first run. */
  read(): Promise<Head | null>;
  /** Durable when it resolves. */
  write(head: Head): Promise<void>;
}

/**
 * @param folder the data folder
 * @param anchor the anchor's id
 * @param name the watcher's name, any text
 */
export function watchPlace(folder: string, anchor: string, name: string): WatchPlace {
  const file = join(folder, 'watch', `${hash(['pa.watch.v1', anchor, name]).slice(0, 32)}.json`);
  return {
    file,
    async read() {
      try {
        return parsePlace(await readFile(file, 'utf8'), file);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      }
    },
    async write({ seq, hash }) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeDurably(file, `${JSON.stringify({ name, anchor, seq, hash })}\n`);
    },
  };
}

const PLACE = z.object({ seq: z.int().check(z.nonnegative()), hash: z.string() });

function parsePlace(text: string, file: string): Head {
  const place = PLACE.safeParse(jsonOrNull(text));
  if (place.success) return place.data;
  throw new ProjectAnchorError(
    'place_damaged',
    `The place of this watch cannot be read from ${file}.`,
    'Remove the file to start from now, or choose another --name.',
  );
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** By rename, so that a crash leaves the old place or the new one, never half of it. */
async function writeDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
