import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { type Clock, type Disposable, messageOf } from '../../base/index.ts';
import type { CommandRuntime } from '../runtime.ts';
import type { LogLevel } from './diagnostics.ts';
import { Output } from './output.ts';

/** Everything a command line touches of the process it runs in. */
export interface CommandLineIo {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  readonly cwd: string;
  readonly clock: Clock;
  /** Absolute path of the launcher that the git hooks call, or null when it is not beside this program. */
  readonly launcher: string | null;
  /** The Node that runs this. */
  readonly execPath: string;
  /** Tells of SIGTERM, SIGINT and SIGHUP. */
  onStopSignal(listener: () => void): Disposable;
}

/** What every command gets besides its own arguments. */
export interface Call<O> {
  readonly io: CommandLineIo;
  readonly runtime: CommandRuntime;
  readonly output: Output;
  readonly options: O;
  /** Aborted when the process is asked to end, or when nobody reads the output any more. */
  readonly stopping: AbortSignal;
  /** A line for people on stderr, also with --json. */
  note(text: string): void;
}

/** Resolves to the exit code; nothing means 0. */
export type Body<O, A extends readonly unknown[]> = (call: Call<O>, ...args: A) => Promise<number> | Promise<void>;

/** What the command line gives to the commands it is made of. */
export interface CommandHost {
  readonly io: CommandLineIo;
  readonly stopping: AbortSignal;
  readonly closed: AbortController;
  /** @param level the least important diagnostics that people see on stderr */
  open(options: CommonOptions, level: LogLevel): CommandRuntime;
  finished(code: number): void;
}

export interface CommonOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** What every command understands. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--cwd <dir>', 'any folder of the project (default: the current folder)')
    .option('--json', 'write JSON, for programs');
}

/** Gives a command its body: the runtime is opened before it and closed after it, whatever happens. */
export function run<O extends object, A extends readonly unknown[]>(
  host: CommandHost,
  command: Command,
  body: Body<O & CommonOptions, A>,
  level: LogLevel = 'none',
): void {
  withCommonOptions(command).action(async (...received: unknown[]) => {
    const self = received.at(-1) as Command;
    const options = self.optsWithGlobals<O & CommonOptions>();
    const args = received.slice(0, -2) as unknown as A;
    const output = new Output(host.io.stdout, {
      json: options.json === true,
      colours: coloursOn(host.io.stdout, host.io.env),
      closed: host.closed,
    });
    const note = (text: string) => void host.io.stderr.write(`${text}\n`);
    const runtime = host.open(options, level);
    for (const warning of runtime.configuration.warnings) note(`note: ${warning}`);
    const call = { io: host.io, runtime, output, options, stopping: host.stopping, note };
    host.finished(await disposing(runtime, () => body(call, ...args)));
  });
}

/** Runs `work` and lets the runtime go; the error of the work counts more than one of letting go. */
async function disposing(runtime: CommandRuntime, work: () => Promise<number> | Promise<void>): Promise<number> {
  let code: number;
  try {
    code = (await work()) ?? 0;
  } catch (error) {
    await runtime.dispose().catch((second: unknown) => {
      runtime.logger.warn(messageOf(second));
    });
    throw error;
  }
  await runtime.dispose();
  return code;
}

/** Colours only for a person: on a terminal that has them and without `NO_COLOR` (https://no-color.org). */
export function coloursOn(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}
