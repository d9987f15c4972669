import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { codeOf } from '../base/index.ts';
import type { Gate } from './gate.ts';
import { pathFromBytes, pathToBytes } from './targets.ts';
import { compareBytes } from './tree.ts';

export interface Walked {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
}

export interface Walk {
  readonly files: readonly Walked[];
  /** The limit was reached; what is listed is the beginning, in byte order of folders. */
  readonly truncated: boolean;
  /** Folders that could not be read. */
  readonly unreadable: readonly string[];
}

/**
 * Lists a folder without git: prunes what the gate refuses, never follows a link, and takes a repository inside for one
 * file-like entry, because it is a project of its own.
 * @param limit most files and most folders
 */
export async function walk(root: string, gate: Gate, limit: number): Promise<Walk> {
  const files: Walked[] = [];
  const unreadable: string[] = [];
  const pending = [''];
  let folders = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (++folders > limit) return { files, truncated: true, unreadable };
    const entries = await entriesOf(root, folder);
    if (entries === null) {
      unreadable.push(folder === '' ? '.' : folder.slice(0, -1));
      continue;
    }
    if (folder !== '' && entries.some(({ name }) => name === '.git')) {
      files.push({ path: folder.slice(0, -1), kind: 'submodule' });
      continue;
    }
    const below: string[] = [];
    for (const { name, kind } of entries) {
      const path = folder + name;
      if (kind === 'directory') {
        if (gate.path(`${path}/`).ok) below.push(`${path}/`);
      } else if (gate.path(path).ok) {
        if (files.length >= limit) return { files, truncated: true, unreadable };
        files.push({ path, kind });
      }
    }
    pending.push(...below.reverse());
  }
  return { files, truncated: false, unreadable };
}

interface Found {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory';
}

async function entriesOf(root: string, folder: string): Promise<readonly Found[] | null> {
  try {
    const path = Buffer.concat([Buffer.from(`${root}/`), pathToBytes(folder)]);
    const entries = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
    return entries.flatMap(foundOf).sort((a, b) => compareBytes(a.name, b.name));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

/** Sockets, pipes and devices are no files of a project. */
function foundOf(entry: Dirent<Buffer>): readonly Found[] {
  const kind = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : null;
  return kind === null ? [] : [{ name: pathFromBytes(entry.name), kind }];
}
