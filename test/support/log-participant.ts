import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ProjectAnchorError } from '../../src/base/index.ts';
import type { Ack, DeltaBatch, HubStatus, LogServiceOptions, Op, StateView } from '../../src/delta/index.ts';
import type { Anchor } from '../../src/snapshot/index.ts';
import { bundledProgram } from './bundled-program.ts';
import { waitFor } from './wait.ts';

const SOURCE = join(import.meta.dirname, 'programs/log-participant.ts');
/** A participant that does not get somewhere within this time, in ms, is taken for hung. */
const LIMIT_MS = 30_000;

type Message =
  | { readonly ready: true }
  | { readonly batch: DeltaBatch }
  | { readonly status: HubStatus }
  | {
      readonly n: number;
      readonly value?: unknown;
      readonly error?: { readonly code?: string; readonly message: string };
    };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface ParticipantOptions {
  readonly onUnusable?: LogServiceOptions['onUnusable'];
  /** Value of NODE_OPTIONS. */
  readonly nodeOptions?: string;
}

/** How to start participants. Call it at the top of a test file. */
export async function participants() {
  const program = await bundledProgram(SOURCE);
  return (folder: string, hub: LogServiceOptions['hub'], session: string, options: ParticipantOptions = {}) =>
    new LogParticipant(program, [folder, hub, session, options.onUnusable ?? 'throw'], options.nodeOptions ?? '');
}

/** A real process with a log service of its own on a data folder. It is killed when the test is over. */
export class LogParticipant {
  readonly session: string;
  readonly batches: DeltaBatch[] = [];
  status: HubStatus = { kind: 'alone', waiting: 0 };
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<void>;
  #next = 1;

  constructor(program: string, args: readonly string[], nodeOptions: string) {
    this.session = args[2] ?? '';
    this.#child = fork(program, [...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: nodeOptions },
    });
    onTestFinished(() => this.kill());
    const ready = Promise.withResolvers<void>();
    this.#ready = ready.promise;
    this.#child.on('message', (message: Message) => {
      if ('ready' in message) ready.resolve();
      else if ('batch' in message) this.batches.push(message.batch);
      else if ('status' in message) this.status = message.status;
      else this.#answer(message);
    });
    this.#child.on('exit', () => {
      ready.reject(new Error('the participant ended'));
      for (const { reject } of this.#waiting.values()) reject(new Error('the participant ended'));
    });
    ready.promise.catch(() => undefined);
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    await this.#ready;
    const n = this.#next++;
    return await new Promise<T>((resolve, reject) => {
      this.#waiting.set(n, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ n, method, args });
    });
  }

  open(anchor: Anchor): Promise<StateView> {
    return this.call('open', anchor);
  }

  mark(anchor: Anchor, op: Op): Promise<Ack> {
    return this.call('author', anchor.id, { agent: 'test', session: this.session }, [op], { byHand: true });
  }

  state(anchor: Anchor): Promise<StateView> {
    return this.call('state', anchor.id);
  }

  /** Seqs told by `onDeltas` so far, in the order they came. */
  get seqs(): number[] {
    return this.batches.flatMap(({ items }) => items.map(({ seq }) => seq));
  }

  async until(what: string, probe: () => boolean): Promise<void> {
    const { session } = this;
    const now = () => `${session}: ${what}; it is ${JSON.stringify(this.status)} and has heard of ${this.seqs}`;
    await waitFor(async () => probe() || undefined, { timeoutMs: LIMIT_MS, intervalMs: 5, what: now });
  }

  /** Every change of the status is told, so that the first one is all that may have been missed: there is none. */
  async is(kind: HubStatus['kind']): Promise<void> {
    await this.until(kind, () => this.status.kind === kind);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it without a word, as a crash would. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Ends it in good order. */
  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    await this.call('dispose');
    await ended;
  }

  #answer({ n, value, error }: Extract<Message, { n: number }>): void {
    const waiting = this.#waiting.get(n);
    this.#waiting.delete(n);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new ProjectAnchorError(error.code ?? 'unknown', error.message));
  }
}
