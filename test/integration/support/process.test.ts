import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ManagedProcess } from '../../support/process.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

/** Writes its own pid and that of a child of its own into a file, and then lives for ever. */
const FAMILY = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  require('node:fs').writeFileSync(process.argv[1], JSON.stringify([process.pid, child.pid]));
  setInterval(() => {}, 1000);
`;

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function family(file: string): Promise<number[]> {
  const pids = await waitFor(() => JSON.parse(readFileSync(file, 'utf8')) as number[], {
    timeoutMs: 10_000,
    what: file,
  });
  expect(pids.filter(alive)).toHaveLength(2);
  return pids;
}

async function gone(pids: number[]): Promise<void> {
  await waitFor(() => !pids.some(alive), { timeoutMs: 10_000, what: `the end of ${pids}` });
}

it('ends a program with everything it started', async () => {
  const folder = tempDir();
  const file = join(folder, 'pids.json');
  const program = new ManagedProcess({
    command: process.execPath,
    args: ['-e', FAMILY, file],
    env: process.env,
    cwd: folder,
    logFile: join(folder, 'log.txt'),
  });
  const pids = await family(file);
  await program.stop();
  expect(program.running).toBe(false);
  await gone(pids);
});

it('ends them too when the process that started them is killed', async () => {
  const folder = tempDir();
  const file = join(folder, 'pids.json');
  const starter = join(folder, 'starter.ts');
  writeFileSync(
    starter,
    `import { ManagedProcess } from ${JSON.stringify(join(import.meta.dirname, '../../support/process.ts'))};
     new ManagedProcess(${JSON.stringify({
       command: process.execPath,
       args: ['-e', FAMILY, file],
       env: { PATH: process.env['PATH'] },
       cwd: folder,
       logFile: join(folder, 'log.txt'),
     })});
     setInterval(() => {}, 1000);`,
  );
  const parent = spawn(process.execPath, [starter], { stdio: 'inherit' });
  const pids = await family(file);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await gone(pids);
});

it('says what a program said when it ends before it is ready', async () => {
  const folder = tempDir();
  const program = new ManagedProcess({
    command: process.execPath,
    args: ['-e', 'console.error("no such database"); process.exit(4)'],
    env: process.env,
    cwd: folder,
    logFile: join(folder, 'log.txt'),
  });
  await expect(program.ready(() => Promise.resolve(undefined), 10_000, 'the server to start')).rejects.toThrow(
    /the server to start: the program ended; its log ends with:\nno such database/,
  );
});
