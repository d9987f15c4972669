import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeTurn } from '../../../../src/agents/hooks/turn.ts';
import { mayBeAlive, thisProcess } from '../../../../src/delta/index.ts';
import { FakeClock, settle } from '../../../support/fake-clock.ts';
import { tempDir } from '../../../support/temp.ts';

const self = thisProcess();

function place(wish = '\n') {
  const folder = tempDir();
  const turn = join(folder, 'tree');
  writeFileSync(`${turn}.wish`, wish);
  return { folder, turn, clock: new FakeClock() };
}

const noRebase = async () => null;

/** Runs a turn while time passes. */
async function finish(clock: FakeClock, turning: Promise<void>): Promise<void> {
  let done = false;
  const ended = turning.finally(() => {
    done = true;
  });
  ended.catch(() => undefined);
  while (!done) await clock.advanceAsync(50);
  await ended;
}

describe('a turn', () => {
  test('waits until hooks have been quiet for a moment, then sees to all of it at once', async () => {
    const { folder, turn, clock } = place('a b\n');
    const said: string[] = [];
    const turning = takeTurn(turn, { clock, self, rebase: noRebase }, async (text) => void said.push(text));
    for (let n = 0; n < 8; n++) {
      await clock.advanceAsync(200);
      appendFileSync(`${turn}.wish`, `pair ${n}\n`);
    }
    expect(said).toEqual([]);
    await finish(clock, turning);
    expect(said).toEqual([['a b', ...Array.from({ length: 8 }, (_, n) => `pair ${n}`)].join('\n')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('what comes while it works is seen to afterwards, by the same process', async () => {
    const { folder, turn, clock } = place('first\n');
    const said: string[] = [];
    await finish(
      clock,
      takeTurn(turn, { clock, self, rebase: noRebase }, async (text) => {
        said.push(text);
        if (said.length < 3) writeFileSync(`${turn}.wish`, `after ${said.length}\n`);
      }),
    );
    expect(said).toEqual(['first', 'after 1', 'after 2']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is left to another one that lives, which is touched by nobody', async () => {
    const { turn, clock } = place();
    // The parent of this process lives for as long as it does.
    const other = `${process.ppid} \n`;
    writeFileSync(`${turn}.run`, other);
    await finish(
      clock,
      takeTurn(turn, { clock, self, rebase: noRebase }, () => Promise.reject(new Error('not mine'))),
    );
    expect(readFileSync(`${turn}.run`, 'utf8')).toBe(other);
    expect(existsSync(`${turn}.wish`)).toBe(true);
  });

  test.each([
    ['one that has ended', `${2 ** 22 + 1} gone\n`, 0],
    ['one that has not shown itself for minutes', `${process.ppid} \n`, 130],
    ['a hook that was cut short', '', 0],
    ['this one, as the hook knew it', `${process.pid}\n`, 0],
  ])('is taken over from %s', async (_what, holder, secondsAgo) => {
    const { folder, turn, clock } = place();
    writeFileSync(`${turn}.run`, holder);
    const then = Date.now() / 1000 - secondsAgo;
    utimesSync(`${turn}.run`, then, then);
    let taken = 0;
    await finish(
      clock,
      takeTurn(turn, { clock, self, rebase: noRebase }, async () => {
        taken++;
        expect(readFileSync(`${turn}.run`, 'utf8')).toBe(`${self.pid} ${self.processStart}\n`);
      }),
    );
    expect(taken).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
    expect(mayBeAlive(self)).toBe(true);
  });

  test('a failure keeps what was said for the next time, and so does a sudden end', async () => {
    const { folder, turn, clock } = place('old new\n');
    const failing = takeTurn(turn, { clock, self, rebase: noRebase }, () => Promise.reject(new Error('no disk')));
    await expect(finish(clock, failing)).rejects.toThrow('no disk');
    expect(readdirSync(folder)).toEqual(['tree.wish']);
    // As a process leaves it that is killed in the middle.
    writeFileSync(`${turn}.wish.taken`, 'before that\n');
    const said: string[] = [];
    await finish(
      clock,
      takeTurn(turn, { clock, self, rebase: noRebase }, async (text) => void said.push(text)),
    );
    expect(said).toEqual(['old new\nbefore that']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('what is said again and again does not grow without end', async () => {
    const line = `${'a'.repeat(64)} ${'b'.repeat(64)}`;
    const { turn, clock } = place(`${line}\n`.repeat(3_000));
    const failing = takeTurn(turn, { clock, self, rebase: noRebase }, () => Promise.reject(new Error('no disk')));
    await expect(finish(clock, failing)).rejects.toThrow('no disk');
    const kept = readFileSync(`${turn}.wish`, 'utf8').trimEnd().split('\n');
    expect(kept.length).toBeGreaterThan(500);
    expect(kept.length).toBeLessThan(1_100);
    expect(new Set(kept)).toEqual(new Set([line]));
  });

  test('a rebase is waited for while it goes on, and one that stands still is told', async () => {
    const { turn, clock } = place();
    let progress: string | null = 'pick 0';
    let taken = 0;
    const rebase = async () => progress;
    const turning = takeTurn(turn, { clock, self, rebase }, async () => void taken++);
    for (let n = 1; n < 20; n++) {
      await clock.advanceAsync(1_500);
      progress = `pick ${n}`;
    }
    expect(taken).toBe(0);
    await clock.advanceAsync(2_500);
    await settle();
    expect(taken).toBe(1);
    await finish(clock, turning);
  });
});
