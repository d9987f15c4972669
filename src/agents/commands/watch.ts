import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { type Clock, codeOf, messageOf, ProjectAnchorError } from '../../base/index.ts';
import { checkLink, type Delta, type Head, type HubStatus, type LogService } from '../../delta/index.ts';
import type { ProjectSession } from '../session-types.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { deltaRow } from './describe.ts';
import { table, visible } from './text.ts';
import { deltaFilter } from './watch-filter.ts';
import { type WatchPlace, watchPlace } from './watch-place.ts';

interface WatchOptions extends CommonOptions {
  readonly name?: string;
  readonly on: readonly string[];
  readonly exec?: string;
}

/** Deltas read from the log at once. */
const PAGE = 64;
/** A command that fails is tried again after 1 s, doubling to 30 s. */
const RETRY_FROM_MS = 1_000;
const RETRY_TO_MS = 30_000;
/** Exit code of a shell that did not find the command (POSIX, 2.8.2). */
const NOT_FOUND = 127;

/** `watch`: follows the project's deltas and runs a command on those that match. */
export function addWatchCommand(program: Command, host: CommandHost): void {
  run<WatchOptions, []>(
    host,
    program
      .command('watch')
      .description('follow what changes, over the hub or from the log')
      .option('--name <name>', 'keep the place under this name across runs: every delta at least once')
      .option(
        '--on <key=value>',
        'only deltas that match, such as change=refactor or priority=high; may be repeated',
        collect,
        [],
      )
      .option('--exec <command>', 'run this for every delta, which it gets as JSON on its standard input'),
    async (call) => {
      refuseEmptyCommand(call.options);
      const session = await call.runtime.session({ kind: 'follow' });
      const log = await call.runtime.log();
      const wants = deltaFilter(call.options.on, call.runtime.settings['tags.dictionary']);
      const { anchor } = session.identity;
      const place =
        call.options.name === undefined ? null : watchPlace(call.runtime.dataFolder, anchor.id, call.options.name);
      const from = (await place?.read()) ?? session.head;
      await refuseLostPlace(log, anchor.id, from, place);
      await place?.write(from);
      announce(call, session, from);
      for await (const delta of follow(session, log, from, call.stopping)) {
        if (wants(delta) && !(await handle(call, delta))) break;
        await place?.write({ seq: delta.seq, hash: delta.hash });
      }
    },
    'warn',
  );
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

/** A variable of a script that is not set must not look like a command that was run on every delta. */
function refuseEmptyCommand({ exec }: WatchOptions): void {
  if (exec === undefined || exec.trim() !== '') return;
  throw new ProjectAnchorError('usage', '--exec has no command.', 'Give one, or leave --exec out to follow only.');
}

/** A place that the log does not contain any more would be silently wrong: deltas were lost, or it is another log. */
async function refuseLostPlace(log: LogService, anchor: string, from: Head, place: WatchPlace | null): Promise<void> {
  if (place === null || from.seq === 0) return;
  const [there] = await log.deltas(anchor, from.seq - 1, 1);
  if (there?.seq === from.seq && there.hash === from.hash) return;
  throw new ProjectAnchorError(
    'place_lost',
    `This watch had reached #${from.seq}, which the log does not hold any more.`,
    `Remove ${place.file} to start from now, or choose another --name.`,
  );
}

function announce(call: Call<WatchOptions>, session: ProjectSession, from: Head): void {
  const { url, kind } = session.hub;
  call.note(`following ${visible(session.identity.anchor.id)} from #${from.seq} ${hubWords(session.hub)}`);
  let told = `${kind} ${url}`;
  session.onDidChange(() => {
    const now = `${session.hub.kind} ${session.hub.url}`;
    if (now === told) return;
    told = now;
    call.note(hubWords(session.hub));
  });
}

function hubWords(hub: HubStatus): string {
  switch (hub.kind) {
    case 'hub':
    case 'connected':
      return `over the hub ${hub.url ?? ''}`.trim();
    case 'refused':
      return hub.reason ?? 'from the log';
    default:
      return 'from the log: no hub answers';
  }
}

/** Every delta after a place, as it comes, read from the log: what the hub pushes only says that there is more. */
async function* follow(
  session: ProjectSession,
  log: LogService,
  from: Head,
  stopping: AbortSignal,
): AsyncGenerator<Delta> {
  const anchor = session.identity.anchor.id;
  let at = from;
  while (!stopping.aborted) {
    const page = at.seq < session.head.seq ? await log.deltas(anchor, at.seq, PAGE) : [];
    for (const delta of page) {
      if (stopping.aborted) return;
      if (checkLink(anchor, at, delta).kind !== 'next') {
        throw new ProjectAnchorError('mismatch', `Delta #${delta.seq} does not follow #${at.seq}.`, 'Run verify.');
      }
      yield delta;
      at = { seq: delta.seq, hash: delta.hash };
    }
    if (page.length === 0) await more(session, at, stopping);
  }
}

/** Resolves when the session holds more than `at`, or when the watch ends. */
function more(session: ProjectSession, at: Head, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!stopping.aborted && session.head.seq <= at.seq) return;
      subscription.dispose();
      stopping.removeEventListener('abort', check);
      resolve();
    };
    const subscription = session.onDidChange(check);
    stopping.addEventListener('abort', check);
    check();
  });
}

/** Prints a delta and runs the command on it. False when it is not done with, because the watch ends before it is. */
async function handle(call: Call<WatchOptions>, delta: Delta): Promise<boolean> {
  const { output, options } = call;
  if (output.json) await output.document(delta);
  else await output.lines(table([deltaRow(delta)]));
  if (options.exec === undefined) return true;
  for (let wait = RETRY_FROM_MS; ; wait = Math.min(wait * 2, RETRY_TO_MS)) {
    const code = await runOn(call, options.exec, delta);
    if (code === 0) return true;
    const what = code === NOT_FOUND ? 'was not found' : `ended with ${code}`;
    if (options.name === undefined) {
      call.note(`the command ${what} for #${delta.seq}; going on, as there is no --name to keep the place`);
      return true;
    }
    if (call.stopping.aborted) return false;
    call.note(`the command ${what} for #${delta.seq}; trying again in ${wait / 1000} s`);
    await pause(call.io.clock, wait, call.stopping);
    if (call.stopping.aborted) return false;
  }
}

/** Runs the command to its end, also while the watch is being stopped: it is never left half done by us. */
async function runOn(call: Call<WatchOptions>, command: string, delta: Delta): Promise<number | string> {
  const { io, runtime, output } = call;
  // Its output never mixes with the JSON that a program reads from us.
  const child = spawn(command, {
    shell: true,
    cwd: runtime.cwd,
    env: io.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdout.pipe(output.json ? io.stderr : io.stdout, { end: false });
  child.stderr.pipe(io.stderr, { end: false });
  child.stdin.on('error', (error) => {
    // A command that does not read its input closes the pipe: that is its choice.
    if (codeOf(error) !== 'EPIPE') call.note(messageOf(error));
  });
  child.stdin.end(`${JSON.stringify(delta)}\n`);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'nothing';
}

function pause(clock: Clock, ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.dispose();
      stopping.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.timeout(ms, done);
    stopping.addEventListener('abort', done);
    if (stopping.aborted) done();
  });
}
