import { type Command, InvalidArgumentError } from 'commander';
import { ProjectAnchorError } from '../../base/index.ts';
import { type HubStatus, hubFile, type LogService } from '../../delta/index.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { wholeNumber } from './log.ts';

interface HubOptions extends CommonOptions {
  readonly host?: string;
  readonly port?: number;
}

/** A lease that nobody renews is free after 1.5 s (protocol §7); this leaves room for a busy machine. */
const START_WITHIN_MS = 10_000;

/** `hub`: runs the hub of this machine in the foreground. */
export function addHubCommand(program: Command, host: CommandHost): void {
  run<HubOptions, []>(
    host,
    program
      .command('hub')
      .description('run the hub of this machine in the foreground, until SIGTERM')
      .option('--host <host>', 'the loopback address it listens on (default: 127.0.0.1)')
      .option('--port <port>', 'the port (default: the setting, else any free one)', portNumber),
    async (call) => {
      const { options, runtime, output, stopping } = call;
      const port = options.port ?? runtime.settings['hub.port'];
      const where = options.host === undefined ? {} : { host: options.host };
      const log = await runtime.log({ kind: 'serve', port, ...where });
      const url = await started(log, call);
      if (url === null) return;
      const tokenFile = hubFile(runtime.dataFolder);
      if (output.json) await output.document({ url, tokenFile });
      else await output.line(`hub at ${url}, token in ${tokenFile}`);
      const told = log.onHubStatus((status) => call.note(statusWords(status)));
      await aborted(stopping);
      told.dispose();
    },
    'warn',
  );
}

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('Ports go up to 65535.');
  return port;
}

/** The hub's address once it runs here; null when the command was asked to end before. */
function started(log: LogService, { io, stopping }: Call<HubOptions>): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      subscription.dispose();
      timer.dispose();
      stopping.removeEventListener('abort', stop);
      act();
    };
    const look = (status: HubStatus) => {
      const { kind, url = '', reason } = status;
      if (kind === 'hub') settle(() => resolve(url));
      else if (kind === 'connected') settle(() => reject(already(url)));
      else if (reason !== undefined) settle(() => reject(new ProjectAnchorError('hub_failed', reason)));
    };
    const stop = () => settle(() => resolve(null));
    const timer = io.clock.timeout(START_WITHIN_MS, () => settle(() => reject(neverStarted())));
    const subscription = log.onHubStatus(look);
    stopping.addEventListener('abort', stop);
    log.hubStatus().then(look, reject);
  });
}

function already(url: string): ProjectAnchorError {
  return new ProjectAnchorError(
    'hub_running',
    `A hub already runs on this machine at ${url}.`,
    'Use that one; it ends with the program that runs it.',
  );
}

function neverStarted(): ProjectAnchorError {
  return new ProjectAnchorError('hub_failed', 'The hub could not be started in time.', 'Try again.');
}

function statusWords({ kind, url = '', agents, reason }: HubStatus): string {
  if (kind === 'hub') return agents === undefined ? `hub at ${url}` : `${agents} connected`;
  if (kind === 'connected') return `another program runs the hub now, at ${url}; waiting to take over`;
  return reason ?? 'no hub; trying to take over';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
