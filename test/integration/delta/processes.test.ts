import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { hubFile } from '../../../src/delta/index.ts';
import { tagOp, testAnchor } from '../../support/deltas.ts';
import { type LogParticipant, participants } from '../../support/log-participant.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const participant = await participants();
const anchor = testAnchor();
const mark = (n: number | string) => tagOp(`src/${n}.ts`, 'note', `${n}`);

/** Two windows, the first of which runs the hub. */
async function twoWindows() {
  const folder = tempDir();
  const one = participant(folder, 'compete', 'one');
  await one.open(anchor);
  await one.is('hub');
  const two = participant(folder, 'compete', 'two');
  await two.open(anchor);
  await two.is('connected');
  return { folder, one, two };
}

const range = (to: number) => Array.from({ length: to }, (_, n) => n + 1);

describe('two processes', () => {
  test('agree on seq, hash and stateHash, whoever marks; each hears of everything once', async () => {
    const { one, two } = await twoWindows();
    const acks = await Promise.all(range(20).map((n) => (n % 2 === 0 ? one : two).mark(anchor, mark(n))));
    expect(acks.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(range(20));
    await one.until('twenty deltas', () => one.seqs.length >= 20);
    await two.until('twenty deltas', () => two.seqs.length >= 20);
    expect(one.seqs).toEqual(range(20));
    expect(two.seqs).toEqual(range(20));
    const { seq, hash, stateHash } = await one.state(anchor);
    expect(await two.state(anchor)).toMatchObject({ seq, hash, stateHash });
    await two.until('both agents', () => two.status.agents === 2);
    await one.until('both agents', () => one.status.agents === 2);
  });

  test('tell each other where the hub is in a file for their owner alone, with another token at every start', async () => {
    const { folder, one, two } = await twoWindows();
    const file = hubFile(folder);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = JSON.parse(readFileSync(file, 'utf8')) as { url: string; token: string };
    expect(before).toEqual({ url: one.status.url, token: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await one.end();
    await two.is('hub');
    const after = JSON.parse(readFileSync(file, 'utf8')) as { token: string };
    expect(after.token).not.toBe(before.token);
    await two.end();
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  test('go on when the hub is killed: the other takes over, and no delta is lost', async () => {
    const { folder, one, two } = await twoWindows();
    await one.mark(anchor, mark(1));
    await two.mark(anchor, mark(2));
    const storm = range(30).map((n) => two.mark(anchor, mark(`storm${n}`)));
    const dying = range(30).map((n) => one.mark(anchor, mark(`dying${n}`)).catch(() => undefined));
    await dying[0];
    await one.kill();
    const acked = (await Promise.all(dying)).filter((ack) => ack !== undefined);
    await Promise.all(storm);
    await two.is('hub');
    const three = participant(folder, 'compete', 'three');
    const view = await three.open(anchor);
    await three.is('connected');
    expect(view.seq).toBeGreaterThanOrEqual(32 + acked.length);
    const log = await three.call<{ id: string; seq: number }[]>('deltas', anchor.id, 0, 500);
    for (const ack of acked) expect(log[ack.seq - 1]?.id).toBe(ack.id);
    await two.until('everything', () => two.seqs.length >= view.seq);
    expect(two.seqs).toEqual(range(view.seq));
    expect(await three.call('verify', anchor.id)).toMatchObject({ ok: true, deltas: view.seq });
    await three.mark(anchor, mark('after'));
    await two.until('the mark after', () => two.seqs.length === view.seq + 1);
  });

  test('go on when the hub hangs: the other takes over, and the first becomes its client when it wakes', async () => {
    const { one, two } = await twoWindows();
    one.signal('SIGSTOP');
    await two.is('hub');
    await two.mark(anchor, mark(1));
    one.signal('SIGCONT');
    await one.is('connected');
    expect(one.status.url).toBe(two.status.url);
    await one.until('the mark', () => one.seqs.length === 1);
    await one.mark(anchor, mark(2));
    await two.until('both marks', () => two.seqs.length === 2);
  });
});

describe('a hub that hangs', () => {
  test('is left by all its clients for the one that takes over, by a watch too', async () => {
    const { folder, one, two } = await twoWindows();
    const three = participant(folder, 'compete', 'three');
    const watch = participant(folder, 'client', 'watch');
    await Promise.all([three.open(anchor), watch.open(anchor)]);
    await Promise.all([three.is('connected'), watch.is('connected')]);
    one.signal('SIGSTOP');
    const windows = [two, three];
    const taken = (each: LogParticipant) => each.status.kind === 'hub';
    await waitFor(async () => windows.some(taken), { timeoutMs: 20_000, what: 'a window to take over' });
    const url = windows.find(taken)?.status.url;
    const others = [two, three, watch].filter((each) => !taken(each));
    await Promise.all(others.map((each) => each.until('the new hub', () => each.status.url === url)));
    await two.mark(anchor, mark(1));
    await Promise.all([two, three, watch].map((each) => each.until('the mark', () => each.seqs.length === 1)));
  });
});

describe('ten processes that start at once', () => {
  test('are one hub and nine clients, and all hear of a mark', async () => {
    const folder = tempDir();
    const ten = range(10).map((n) => participant(folder, 'compete', `s${n}`));
    await Promise.all(ten.map((each) => each.open(anchor)));
    await Promise.all(
      ten.map((each) => each.until('a role', () => each.status.kind === 'hub' || each.status.kind === 'connected')),
    );
    expect(ten.map(({ status }) => status.kind).sort()).toEqual([...Array(9).fill('connected'), 'hub']);
    expect(new Set(ten.map(({ status }) => status.url)).size).toBe(1);
    await ten[4]?.mark(anchor, mark(1));
    await Promise.all(ten.map((each) => each.until('the mark', () => each.seqs.length === 1)));
    await ten[0]?.until('all ten', () => ten[0]?.status.agents === 10);
  });
});

describe('a command that does not stay', () => {
  test('is heard of by windows, hub and client', async () => {
    const { folder, one, two } = await twoWindows();
    const command = participant(folder, 'poke', 'command');
    await command.mark(anchor, mark(1));
    await command.end();
    await one.until('the mark', () => one.seqs.length === 1);
    await two.until('the mark', () => two.seqs.length === 1);
  });

  test('is heard of by who follows the log without a hub', async () => {
    const folder = tempDir();
    const watch = participant(folder, 'client', 'watch');
    await watch.open(anchor);
    const command = participant(folder, 'none', 'command');
    await command.mark(anchor, mark(1));
    await watch.until('the mark', () => watch.seqs.length === 1);
    expect(watch.status.kind).toBe('alone');
  });

  test('never gives the token to a stranger who listens where a killed hub was', async () => {
    const folder = tempDir();
    const heard: string[] = [];
    const stranger = createServer((socket) => {
      // A command that ends leaves its connection as it is.
      socket.on('error', () => socket.destroy());
      socket.on('data', (data) => {
        heard.push(data.toString());
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{"proof":"000000"}');
      });
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = stranger.address() as { port: number };
      const token = 'ab'.repeat(32);
      writeFileSync(hubFile(folder), JSON.stringify({ url: `ws://127.0.0.1:${port}/v1`, token }), { mode: 0o600 });
      const watch = participant(folder, 'client', 'watch');
      await watch.open(anchor);
      const command = participant(folder, 'poke', 'command');
      await command.mark(anchor, mark(1));
      await command.end();
      await watch.until('the mark', () => watch.seqs.length === 1);
      await waitFor(async () => heard.length >= 2, { timeoutMs: 10_000, what: 'both to ask for a proof' });
      expect(heard.every((request) => request.startsWith('GET /v1/id?n='))).toBe(true);
      expect(heard.join('')).not.toContain(token);
    } finally {
      stranger.close();
    }
  });
});

describe('a file that no hub writes', () => {
  test.each([
    ['garbage', '{'],
    ['an address elsewhere', JSON.stringify({ url: 'ws://hub.example:1/v1', token: 'ab'.repeat(32) })],
  ])('is not used: %s', async (_what, content) => {
    const folder = tempDir();
    writeFileSync(hubFile(folder), content);
    const watch = participant(folder, 'client', 'watch');
    await watch.open(anchor);
    await watch.is('refused');
    expect(watch.status.reason).toContain('Remove it');
    await watch.mark(anchor, mark(1));
    const one = participant(folder, 'compete', 'one');
    await one.is('hub');
    await watch.is('connected');
  });
});
