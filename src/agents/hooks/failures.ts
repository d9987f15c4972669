import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timestamp } from '../../base/index.ts';
import { readOrEmpty } from './read.ts';

/** Why a snapshot that a hook asked for was not taken. */
export interface HookFailure {
  readonly at: string;
  readonly message: string;
}

/** When the file is longer only its newer half is kept, in bytes. */
const MOST_BYTES = 64 * 1024;
/** What a failing program may have said before it came to writing the log. */
const MOST_SAID = 2_000;

/** Adds to the log of failures in the data folder: nobody sees what a hook's process says. */
export function noteFailure(data: string, toplevel: string, failure: HookFailure): void {
  const file = logFile(data);
  appendFileSync(file, `${JSON.stringify({ ...failure, toplevel })}\n`, { mode: 0o600 });
  if (statSync(file).size <= MOST_BYTES) return;
  const text = readFileSync(file, 'utf8');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text.slice(text.indexOf('\n', text.length / 2) + 1), { mode: 0o600 });
  renameSync(draft, file);
}

/** The newest failure of a working tree: one that was logged, or one to start at all. */
export function lastFailure(data: string, toplevel: string): HookFailure | null {
  const logged = lastLogged(readOrEmpty(logFile(data)), toplevel);
  const start = startFailure(`${turnFiles(data, toplevel)}.err`);
  if (logged === null || start === null) return logged ?? start;
  return start.at > logged.at ? start : logged;
}

/** Path of the files of a working tree's hooks without their ending, as the hooks themselves make it. */
export function turnFiles(data: string, toplevel: string): string {
  return join(data, 'hooks', toplevel.replaceAll('/', '%').slice(-200));
}

function logFile(data: string): string {
  return join(data, 'hooks', 'failures.jsonl');
}

function lastLogged(text: string, toplevel: string): HookFailure | null {
  for (const line of text.trimEnd().split('\n').toReversed()) {
    const entry = parsed(line);
    if (entry?.['toplevel'] !== toplevel) continue;
    const { at, message } = entry;
    if (typeof at === 'string' && typeof message === 'string') return { at, message };
  }
  return null;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown> | null;
  } catch {
    // Cut short by a full disk, perhaps.
    return null;
  }
}

function startFailure(file: string): HookFailure | null {
  const message = readOrEmpty(file).trim().slice(0, MOST_SAID);
  return message === '' ? null : { at: timestamp(statSync(file).mtimeMs), message };
}
