import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { codeOf, disposable, messageOf, systemClock } from '../base/index.ts';
import type { CommandHost, CommandLineIo, CommonOptions } from './commands/command.ts';
import { withCommonOptions } from './commands/command.ts';
import { addContextCommands } from './commands/context.ts';
import { addDepsCommand } from './commands/deps.ts';
import { type LogLevel, levelFrom, stderrLogger } from './commands/diagnostics.ts';
import { addHookCommand } from './commands/hook.ts';
import { addHubCommand } from './commands/hub.ts';
import { addImportsCommand } from './commands/imports.ts';
import { addLogCommands } from './commands/log.ts';
import { addMarkCommands } from './commands/marks.ts';
import { OutputClosed, watchForClosing } from './commands/output.ts';
import { addProjectCommands } from './commands/project.ts';
import { addWatchCommand } from './commands/watch.ts';
import { addWhyCommand } from './commands/why.ts';
import { openCommandRuntime } from './runtime.ts';

/** Exit codes that scripts may rely on. */
export const EXIT = { done: 0, failed: 1, usage: 2, unreachable: 3 } as const;

/** Errors that mean "nobody is there", not "it went wrong". */
const UNREACHABLE: ReadonlySet<string> = new Set(['hub_unreachable', 'not_reachable', 'unreachable']);

/** The process that this runs in. Without it a test gives streams and a folder of its own. */
export function processIo(): CommandLineIo {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    platform: process.platform,
    homedir: homedir(),
    cwd: process.cwd(),
    clock: systemClock(),
    launcher: launcherBeside(process.argv[1]),
    execPath: process.execPath,
    onStopSignal(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener);
      return disposable(() => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener);
      });
    },
  };
}

/** The last one when a terminal closes. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** `bin/project-anchor` of the package whose `dist/cli.js` runs. */
function launcherBeside(script: string | undefined): string | null {
  if (script === undefined || !existsSync(script)) return null;
  const launcher = join(dirname(realpathSync(script)), '..', 'bin', 'project-anchor');
  return existsSync(launcher) ? launcher : null;
}

/**
 * Runs one command to its end and resolves to the exit code: 0 done, 1 failed with one line on stderr that says what to
 * do, 2 wrong usage, 3 not reachable. The first SIGTERM, SIGINT or SIGHUP lets the command finish what it has
 * begun, the second one ends the process.
 */
export async function runCommandLine(args: readonly string[], io: CommandLineIo = processIo()): Promise<number> {
  const stop = new AbortController();
  const closed = watchForClosing(io.stdout);
  // Nobody can be told of a stderr that is gone; it must not end what the command does.
  io.stderr.on('error', () => undefined);
  const host = new Host(io, AbortSignal.any([stop.signal, closed.signal]), closed);
  // Timers of the product do not keep a process alive; a command that waits does.
  const alive = setInterval(() => undefined, 2 ** 30);
  const signals = io.onStopSignal(() => {
    signals.dispose();
    stop.abort();
  });
  try {
    await program(host).parseAsync([...args], { from: 'user' });
    return host.code;
  } catch (error) {
    return failure(error, io);
  } finally {
    signals.dispose();
    clearInterval(alive);
  }
}

class Host implements CommandHost {
  code: number = EXIT.done;
  readonly io: CommandLineIo;
  readonly stopping: AbortSignal;
  readonly closed: AbortController;

  constructor(io: CommandLineIo, stopping: AbortSignal, closed: AbortController) {
    this.io = io;
    this.stopping = stopping;
    this.closed = closed;
  }

  open({ cwd }: CommonOptions, level: LogLevel) {
    const logger = stderrLogger(this.io.stderr, levelFrom(this.io.env) ?? level);
    return openCommandRuntime({ ...this.io, logger }, cwd);
  }

  finished(code: number): void {
    this.code = code;
  }
}

function program(host: CommandHost): Command {
  const { io } = host;
  const root = withCommonOptions(new Command('project-anchor'))
    .description('A lasting, shared understanding of a project for coding models.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`project-anchor: ${usageSentence(text)}\n`),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  addProjectCommands(root, host);
  addImportsCommand(root, host);
  addWhyCommand(root, host);
  addDepsCommand(root, host);
  addMarkCommands(root, host);
  addContextCommands(root, host);
  addLogCommands(root, host);
  addHubCommand(root, host);
  addHookCommand(root, host);
  addWatchCommand(root, host);
  return root;
}

/** Commander's message on one line, with where to read more. */
function usageSentence(text: string): string {
  const what = text
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  return `${what}${/[.)?]$/.test(what) ? '' : '.'} See "project-anchor --help".`;
}

function failure(error: unknown, io: CommandLineIo): number {
  if (error instanceof OutputClosed) return EXIT.done;
  // Commander has written its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  io.stderr.write(`project-anchor: ${messageOf(error)}\n`);
  const code = codeOf(error) ?? '';
  if (code === 'usage') return EXIT.usage;
  return UNREACHABLE.has(code) ? EXIT.unreachable : EXIT.failed;
}
