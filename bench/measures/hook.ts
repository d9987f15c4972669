import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DIST } from '../lib/core.ts';
import { milliseconds, ms, type Row } from '../lib/report.ts';
import { summarise, timed } from '../lib/stats.ts';
import { inTemporary } from '../lib/temporary.ts';

const ROUNDS = 40;
const WARMUP = 3;
/** What a hook may add to a commit, in ms. */
const MOST_MS = 50;

/** How long a snapshot in the background may take, in ms. */
const PATIENCE_MS = 60_000;

/** `git commit` with our post-commit hook against the same without one, in turn, each when nothing is at work. */
export function hookRows(): Promise<Row[]> {
  return inTemporary(async (folder) => {
    const repo = join(folder, 'app');
    const home = join(folder, 'data');
    const env = {
      ...process.env,
      PROJECT_ANCHOR_HOME: home,
      PROJECT_ANCHOR_NODE: process.execPath,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: repo, env, stdio: 'ignore' });
    execFileSync('git', ['init', '--quiet', repo], { env, stdio: 'ignore' });
    git('config', 'user.name', 'Bench');
    git('config', 'user.email', 'bench@example.invalid');
    writeFileSync(join(repo, 'a.ts'), 'export const a = 1;\n');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'first');
    execFileSync(process.execPath, [join(DIST, 'cli.js'), 'hook', 'install'], { cwd: repo, env, stdio: 'ignore' });

    const commit = (hooks: readonly string[]) => () => git(...hooks, 'commit', '--quiet', '--allow-empty', '-m', 'x');
    const subject: number[] = [];
    const baseline: number[] = [];
    for (let round = -WARMUP; round < ROUNDS; round++) {
      await idle(home);
      const without = await timed(commit(['-c', 'core.hooksPath=/dev/null']));
      const own = await timed(commit([]));
      if (round < 0) continue;
      baseline.push(without);
      subject.push(own);
    }
    await idle(home);
    const [with_, without] = [summarise(subject), summarise(baseline)];
    const added = with_.median - without.median;
    return [
      {
        what: 'git commit with the hook',
        figure: milliseconds(with_),
        baseline: `without: ${milliseconds(without)}`,
        ratio: `+ ${ms(added)}`,
        goal: { value: added, must: MOST_MS, sign: '≤', unit: 'ms more' },
      },
    ];
  });
}

/** Waits until the process that a hook has started is done; one that never is has failed, and its figures mean nothing. */
async function idle(home: string): Promise<void> {
  const folder = join(home, 'hooks');
  const left = () =>
    existsSync(folder) ? readdirSync(folder).filter((name) => /\.(?:run|wish|taken)$/.test(name)) : [];
  for (const start = performance.now(); left().length > 0; ) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`the hook's process left ${left().join(', ')}`);
    await pause(20);
  }
}
