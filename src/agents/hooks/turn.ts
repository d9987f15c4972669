import { appendFileSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, codeOf } from '../../base/index.ts';
import { mayBeAlive, type ProcessIdentity } from '../../delta/index.ts';
import { readOrEmpty } from './read.ts';

/** Quiet after which a burst of hooks has settled, in ms; git writes several things one after the other. */
const QUIET_MS = 250;
/** During a rebase one pick may take longer; one that stops on a conflict is told after this. */
const REBASE_QUIET_MS = 2_000;
/** What never settles is looked at nevertheless. */
const SETTLE_MOST_MS = 60_000;
const LOOK_MS = 50;
/** A process that looks shows that it lives this often; the hooks take one for gone after three minutes. */
const BEAT_MS = 10_000;
const GONE_MS = 120_000;
/** What post-rewrite said beyond this is not kept: 500 pairs of the longest ids take 65 KB. */
const MOST_WISHED = 128 * 1024;

export interface TurnPorts {
  readonly clock: Clock;
  readonly self: ProcessIdentity;
  /** A value that changes as a rebase goes on, or null when none is under way. */
  readonly rebase: () => Promise<string | null>;
}

/**
 * Sees to what the hooks of one working tree have written down, until nothing is left. One process does so at a time:
 * whoever finds another one at it leaves, because that one looks again before it ends.
 * @param turn path of the hooks' files without their ending: `.wish` what is to be seen, `.run` who looks
 * @param work is given what post-rewrite said, as text; when it fails this is kept for the next time
 */
export async function takeTurn(
  turn: string,
  { clock, self, rebase }: TurnPorts,
  work: (rewritten: string) => Promise<void>,
): Promise<void> {
  const wish = `${turn}.wish`;
  const run = `${turn}.run`;
  while (stampOf(wish) !== null) {
    if (!claim(run, self)) return;
    const beat = beating(clock, run);
    try {
      if (stampOf(`${wish}.taken`) !== null) putBack(wish);
      await settled(clock, () => stampOf(wish), rebase);
      await fulfil(wish, work);
    } finally {
      beat();
      release(run, self);
    }
  }
}

async function fulfil(wish: string, work: (rewritten: string) => Promise<void>): Promise<void> {
  const taken = `${wish}.taken`;
  renameSync(wish, taken);
  try {
    await work(readFileSync(taken, 'utf8').trim());
  } catch (error) {
    putBack(wish);
    throw error;
  }
  rmSync(taken, { force: true });
}

/** What was taken but not seen to, by this process or by one that was killed, is wished for again. */
function putBack(wish: string): void {
  const taken = `${wish}.taken`;
  const text = readFileSync(taken, 'utf8').trim();
  const kept = text.length > MOST_WISHED ? text.slice(text.indexOf('\n', text.length - MOST_WISHED) + 1) : text;
  appendFileSync(wish, `${kept}\n`, { mode: 0o600 });
  rmSync(taken, { force: true });
}

/** Waits until nothing has changed for a while. */
async function settled(clock: Clock, wished: () => string | null, rebase: () => Promise<string | null>): Promise<void> {
  const start = clock.monotonic();
  let since = start;
  let before = `${wished()} ${await rebase()}`;
  for (;;) {
    await new Promise<void>((resolve) => clock.timeout(LOOK_MS, resolve));
    const now = clock.monotonic();
    const rebasing = await rebase();
    const after = `${wished()} ${rebasing}`;
    if (after !== before) since = now;
    before = after;
    if (now - since >= (rebasing === null ? QUIET_MS : REBASE_QUIET_MS) || now - start >= SETTLE_MOST_MS) return;
  }
}

/** True when this process is the one that looks now. */
function claim(run: string, self: ProcessIdentity): boolean {
  const text = `${self.pid} ${self.processStart}\n`;
  try {
    writeFileSync(run, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const holder = holderOf(run);
  if (holder !== null && holder.pid !== self.pid && isAlive(run, holder)) return false;
  const draft = `${run}.${self.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, run);
  return true;
}

function isAlive(run: string, holder: ProcessIdentity): boolean {
  const { mtimeMs } = statSync(run, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
  // Against the system's own time: that is what the disk has stamped it with.
  return Date.now() - mtimeMs < GONE_MS && mayBeAlive(holder);
}

/** Null when nobody has written himself in, as a hook leaves it for a moment. */
function holderOf(run: string): ProcessIdentity | null {
  const [, pid, start] = /^(\d+) ?(.*)\n$/.exec(readOrEmpty(run)) ?? [];
  return pid === undefined || start === undefined ? null : { pid: Number(pid), processStart: start };
}

function release(run: string, self: ProcessIdentity): void {
  if (holderOf(run)?.pid === self.pid) rmSync(run, { force: true });
}

/** Touches a file now and then until the function that it returns is called. */
function beating(clock: Clock, file: string): () => void {
  let timer = clock.timeout(BEAT_MS, beat);
  function beat(): void {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    timer = clock.timeout(BEAT_MS, beat);
  }
  return () => timer.dispose();
}

function stampOf(file: string): string | null {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts === undefined ? null : `${facts.mtimeMs}:${facts.size}`;
}

/** How far a rebase in a git directory has got, or null when none is under way. */
export function rebaseProgress(gitDir: string): string | null {
  for (const [folder, counter] of [
    ['rebase-merge', 'msgnum'],
    ['rebase-apply', 'next'],
  ] as const) {
    if (stampOf(join(gitDir, folder)) === null) continue;
    return `${folder} ${stampOf(join(gitDir, folder, counter))} ${stampOf(join(gitDir, 'HEAD'))}`;
  }
  return null;
}
