import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, isLoopback, ProjectAnchorError } from '../base/index.ts';
import { HUB_PATH } from './hub-limits.ts';

/** Where a hub is and what whoever may use it has to know. */
export interface HubAddress {
  readonly url: string;
  readonly token: string;
}

/** One per protocol version, like the hub itself. */
const FILE_NAME = 'hub-v1.json';

const schema = z.object({ url: z.string(), token: z.string().check(z.minLength(32), z.maxLength(256)) });

/** Path of the file that tells where this machine's hub is and with which token. */
export function hubFile(folder: string): string {
  return join(folder, FILE_NAME);
}

/** Writes where this machine's hub is, for the owner's eyes only; readers see the old file or the new one whole. */
export async function writeHubFile(folder: string, address: HubAddress): Promise<void> {
  const temporary = `${hubFile(folder)}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(address)}\n`);
    } finally {
      await file.close();
    }
    await rename(temporary, hubFile(folder));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Where this machine's hub says it is; null when no hub ever wrote it. A hub that was killed leaves its file behind:
 * who reads it asks for the proof before it sends the token.
 * @throws ProjectAnchorError `hub_file` for a file that no hub writes, so that no token goes to a stranger.
 */
export async function readHubFile(folder: string): Promise<HubAddress | null> {
  let text: string;
  try {
    text = await readFile(hubFile(folder), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const address = schema.safeParse(parsed(text));
  if (!address.success) throw fileError(folder, 'it is not what a hub writes');
  if (!isOwnHubUrl(address.data.url)) throw fileError(folder, 'it names a hub that is not on this machine');
  return address.data;
}

/** Takes the file away, unless another hub has written its own meanwhile. */
export async function removeHubFile(folder: string, token: string): Promise<void> {
  const address = await readHubFile(folder);
  if (address?.token === token) await rm(hubFile(folder), { force: true });
}

/** Whether an address has the form of a hub of this machine: `ws://<loopback>:<port>/v1`. */
export function isOwnHubUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'ws:' && isLoopback(url.hostname) && url.port !== '' && url.pathname === HUB_PATH;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fileError(folder: string, why: string): ProjectAnchorError {
  return new ProjectAnchorError(
    'hub_file',
    `${hubFile(folder)} is not used: ${why}.`,
    'Remove it; a hub writes it anew.',
  );
}
