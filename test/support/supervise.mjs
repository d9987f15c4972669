/**
 * Runs a command and ends it, with everything it started, when this process loses its parent: a killed test run
 * leaves no server behind. Usage: node supervise.mjs COMMAND ARGS..., started as the leader of a process group
 * and with a pipe for standard input, which closes when the parent is gone.
 */
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command ?? '', args, { stdio: ['ignore', 'inherit', 'inherit'] });

// A signal goes to the whole group: the child ends in its own way, and this process tells how.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);

process.stdin.on('close', () => process.kill(-process.pid, 'SIGKILL'));
process.stdin.resume();

child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code) => process.exit(code ?? 1));
