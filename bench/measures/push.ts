import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { type Core, DIST } from '../lib/core.ts';
import { type Row, timingRow } from '../lib/report.ts';
import { summarise } from '../lib/stats.ts';

const ROUNDS = 300;
const WARMUP = 30;
/** Subscriber and publisher speak this sub-protocol (protocol §7). */
const PROTOCOL = 'projectanchor.v1';

/** A frame of the hub, as far as the measurement reads it. */
interface Frame {
  readonly t: string;
  readonly anchor?: { readonly id: string } | string;
  readonly head?: { readonly seq: number; readonly hash: string };
  readonly items?: readonly { readonly id: string; readonly seq: number }[];
}

/**
 * From `publish` sent to the delta at another subscriber, durable before the ack, through a hub in a process of its own;
 * against a bare relay that keeps nothing.
 */
export async function pushRows(core: Core): Promise<Row[]> {
  const data = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  const env = { ...process.env, PROJECT_ANCHOR_HOME: data };
  const hub = spawn(process.execPath, [join(DIST, 'cli.js'), 'hub', '--json'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const relay = spawn(process.execPath, [join(import.meta.dirname, '..', 'lib', 'relay.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const sockets: WebSocket[] = [];
  try {
    const { url, tokenFile } = JSON.parse(await firstLine(hub)) as { url: string; tokenFile: string };
    const { token } = JSON.parse(readFileSync(tokenFile, 'utf8')) as { token: string };
    const [publisher, subscriber] = await Promise.all(
      ['publisher', 'subscriber'].map((name) => enter(url, token, name)),
    );
    const port = Number(await firstLine(relay));
    const [sender, receiver] = await Promise.all([1, 2].map(() => opened(new WebSocket(`ws://127.0.0.1:${port}`))));
    if (!publisher || !subscriber || !sender || !receiver) throw new Error('a socket is missing');
    sockets.push(publisher.socket, subscriber.socket, sender, receiver);

    const own: number[] = [];
    const bare: number[] = [];
    for (let round = -WARMUP; round < ROUNDS; round++) {
      const relayed = JSON.stringify(draftOf(core, publisher.anchor, round));
      const base = await lap(
        () => sender.send(relayed),
        () => once(receiver, 'message'),
      );
      const draft = draftOf(core, publisher.anchor, round);
      const hubbed = await lap(
        () => publisher.socket.send(JSON.stringify({ t: 'publish', n: 100 + WARMUP + round, delta: draft })),
        () => arrival(subscriber, draft.id),
      );
      if (round < 0) continue;
      bare.push(base);
      own.push(hubbed);
    }
    const result = { subject: summarise(own), baseline: summarise(bare) };
    const ratio = result.subject.median / result.baseline.median;
    return [timingRow('publish to subscriber, durable', 'bare ws relay, no log', { ...result, ratio })];
  } finally {
    for (const socket of sockets) socket.terminate();
    await Promise.all([ended(hub), ended(relay)]);
    rmSync(data, { recursive: true, force: true });
  }
}

interface Entered {
  readonly socket: WebSocket;
  readonly anchor: string;
}

/** Connects, says hello, attaches the project and subscribes from the hub's head. */
async function enter(url: string, token: string, session: string): Promise<Entered> {
  const socket = await opened(new WebSocket(url, PROTOCOL));
  const ask = async (frame: object, answer: string): Promise<Frame> => {
    socket.send(JSON.stringify(frame));
    return nextFrame(socket, (received) => received.t === answer);
  };
  await ask({ t: 'hello', n: 1, protocols: [PROTOCOL], token, agent: 'bench-0000', session }, 'welcome');
  const attachedAt = '2026-01-01T00:00:00.000Z';
  const repository = 'https://example.invalid/bench/push';
  const attached = await ask({ t: 'attach', n: 2, repository, mainBranch: 'main', attachedAt }, 'attached');
  const anchor = typeof attached.anchor === 'object' ? attached.anchor.id : '';
  await ask({ t: 'subscribe', n: 3, anchor, after: attached.head }, 'subscribed');
  return { socket, anchor };
}

/** A delta of about 300 bytes. */
function draftOf(core: Core, anchor: string, round: number) {
  const at = core.timestamp(Date.now());
  return {
    schema: 'projectanchor.delta.v1' as const,
    anchor,
    id: core.newId(),
    author: { agent: 'bench-0000', session: 'publisher' },
    at,
    ops: [
      {
        op: 'add_tag' as const,
        target: 'src/a.ts',
        key: 'round',
        value: `${round}`,
        by: 'bench-0000',
        at,
        source: 'agent' as const,
      },
    ],
  };
}

async function lap(send: () => void, arrived: () => Promise<unknown>): Promise<number> {
  const arrival = arrived();
  const start = performance.now();
  send();
  await arrival;
  return performance.now() - start;
}

async function arrival({ socket, anchor }: Entered, id: string): Promise<void> {
  const frame = await nextFrame(
    socket,
    ({ t, items }) => t === 'deltas' && (items ?? []).some((item) => item.id === id),
  );
  const seq = Math.max(...(frame.items ?? []).map((item) => item.seq));
  socket.send(JSON.stringify({ t: 'got', anchor, seq }));
}

function nextFrame(socket: WebSocket, wanted: (frame: Frame) => boolean): Promise<Frame> {
  return new Promise((resolve, reject) => {
    const closed = (code: number, reason: Buffer) => reject(new Error(`the hub closed: ${code} ${reason.toString()}`));
    const heard = (data: WebSocket.RawData) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (!wanted(frame)) return;
      socket.off('message', heard);
      socket.off('close', closed);
      resolve(frame);
    };
    socket.on('message', heard);
    socket.once('close', closed);
  });
}

async function opened(socket: WebSocket): Promise<WebSocket> {
  await once(socket, 'open');
  return socket;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the process ended before it was ready');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
