import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProjectSession, type ProjectSession } from '../../../src/agents/index.ts';
import { silentLogger } from '../../../src/base/index.ts';
import type { DeltaBatch, Op } from '../../../src/delta/index.ts';
import type { Outline } from '../../../src/snapshot/index.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { FakeLogService } from '../../support/fake-log-service.ts';
import { FakeSnapshotService, IDENTITY } from '../../support/fake-snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

const AUTHOR = { agent: 'cli-0a0a', session: 'test' };
const WS = IDENTITY.workspace;

async function setUp(
  prepare: (log: FakeLogService, snapshots: FakeSnapshotService) => void = () => undefined,
  outlines: 'all' | 'known' = 'all',
) {
  const clock = new FakeClock(Date.parse('2026-11-30T12:00:00.000Z'));
  const log = new FakeLogService();
  const snapshots = new FakeSnapshotService();
  const settings = {
    completionTokens: 1200,
    explainTokens: 1800,
    halfLifeDays: 9,
    complexityThreshold: 15,
    dictionary: {} as Readonly<Record<string, string>>,
    exclude: [] as readonly string[],
  };
  prepare(log, snapshots);
  const session = await openProjectSession('/nowhere/app/src', {
    snapshots,
    log,
    clock,
    logger: silentLogger(),
    author: AUTHOR,
    outlines,
    settings: () => settings,
  });
  return { clock, log, snapshots, settings, session };
}

function openPath(path: string | null): Op {
  return { op: 'update_active', workspace: WS, path };
}

function activeOf(session: ProjectSession) {
  return session.state.workspaces?.[WS]?.active;
}

describe('the facts of a file', () => {
  test('that ask the index or git are asked of its own working tree', async () => {
    const { snapshots, session } = await setUp();
    const asked: string[] = [];
    snapshots.imports = async (folder, path, complete) => {
      asked.push(`imports ${folder} ${path} ${complete}`);
      return { path, language: 'ts', imports: [], importedBy: [], index: await snapshots.index(), degraded: [] };
    };
    snapshots.together = async (...args: readonly unknown[]) => {
      asked.push(`together ${args.join(' ')}`);
      return [];
    };
    snapshots.why = async (folder, path, symbol) => {
      asked.push(`why ${folder} ${path} ${symbol}`);
      return { path, symbol, commits: [] };
    };
    await Promise.all([session.imports('a.ts'), session.together('a.ts'), session.why('a.ts', null)]);
    const at = `${IDENTITY.toplevel} a.ts`;
    // The whole tree is not read for it.
    expect(asked).toEqual([`imports ${at} false`, `together ${at}`, `why ${at} null`]);
  });
});

describe('the state it holds', () => {
  test('follows what anybody appends, in order, and tells', async () => {
    const { log, session } = await setUp();
    const batches: DeltaBatch[] = [];
    const changes: number[] = [];
    session.onDeltas((batch) => batches.push(batch));
    session.onDidChange(() => changes.push(session.head.seq));
    log.append([openPath('a.ts')]);
    log.append([openPath('b.ts')]);
    expect(activeOf(session)).toBe('b.ts');
    expect(session.head).toEqual(log.head);
    expect(batches.map(({ items }) => items.map(({ seq }) => seq))).toEqual([[1], [2]]);
    expect(changes).toEqual([1, 2]);
  });

  test('starts with what the log holds already', async () => {
    const { session, log } = await setUp((fresh) => {
      void fresh.open(IDENTITY.anchor);
      fresh.append([openPath('before.ts')]);
    });
    expect(activeOf(session)).toBe('before.ts');
    expect(session.head).toEqual(log.head);
  });

  test('misses nothing that happens while it opens', async () => {
    const { session } = await setUp((fresh) => {
      const open = fresh.open.bind(fresh);
      fresh.open = async (anchor) => {
        const view = await open(anchor);
        fresh.append([openPath('meanwhile.ts')]);
        return view;
      };
    });
    expect(activeOf(session)).toBe('meanwhile.ts');
  });

  test('ignores duplicates and other anchors', async () => {
    const { log, session } = await setUp();
    log.append([openPath('a.ts')]);
    const told: DeltaBatch[] = [];
    session.onDeltas((batch) => told.push(batch));
    log.push(log.deltasOf);
    log.push(
      log.deltasOf.map((delta) => ({ ...delta, seq: 2, anchor: 'another' })),
      'another',
    );
    await settle();
    expect(told).toEqual([]);
    expect(session.head.seq).toBe(1);
    expect(log.stateReads).toBe(1);
  });

  test('fetches what a push skipped, once each and in order', async () => {
    const { log, session } = await setUp();
    const told: number[] = [];
    session.onDeltas(({ items }) => told.push(...items.map(({ seq }) => seq)));
    log.hold = true;
    for (let n = 1; n <= 1203; n++) log.append([openPath(`${n}.ts`)]);
    log.push(log.deltasOf.slice(-1));
    await settle();
    expect(session.head.seq).toBe(1203);
    expect(told).toEqual(Array.from({ length: 1203 }, (_, index) => index + 1));
  });

  test('takes what is announced while it fetches', async () => {
    const { log, session } = await setUp();
    log.hold = true;
    log.append([openPath('1.ts')]);
    log.append([openPath('2.ts')]);
    log.push(log.deltasOf.slice(-1));
    // The fetch is under way and has its answer; this one comes in between.
    log.append([openPath('3.ts')]);
    log.push(log.deltasOf.slice(-1));
    await settle();
    expect(activeOf(session)).toBe('3.ts');
  });

  test('never applies a delta whose hash is wrong, and takes the log’s own state instead', async () => {
    const { log, session } = await setUp();
    log.hold = true;
    log.append([openPath('right.ts')]);
    const told: DeltaBatch[] = [];
    session.onDeltas((batch) => told.push(batch));
    log.push(log.deltasOf.map((delta) => ({ ...delta, ops: [openPath('wrong.ts')] })));
    expect(activeOf(session)).toBeUndefined();
    await settle();
    expect(activeOf(session)).toBe('right.ts');
    expect(session.head).toEqual(log.head);
  });

  test('stops before an operation of a newer version, and marks nothing from then on', async () => {
    const { log, session } = await setUp();
    log.append([openPath('a.ts')]);
    log.append([{ op: 'from_the_future', workspace: WS } as unknown as Op]);
    log.append([openPath('b.ts')]);
    await settle();
    expect(activeOf(session)).toBe('a.ts');
    expect(session.head.seq).toBe(1);
    expect(session.hub).toMatchObject({ kind: 'refused', reason: expect.stringContaining('Update ProjectAnchor') });
    await expect(session.mark('src/a.ts', [])).rejects.toMatchObject({ code: 'needs_update' });
  });

  test('is let go of at the end', async () => {
    const { log, session } = await setUp();
    session.dispose();
    session.dispose();
    expect(log.listening).toBe(false);
    log.append([openPath('late.ts')]);
    expect(session.head.seq).toBe(0);
  });

  test('lets go of the log when it cannot be opened', async () => {
    const log = new FakeLogService();
    log.open = () => Promise.reject(new Error('no log'));
    const services = {
      snapshots: new FakeSnapshotService(),
      log,
      clock: new FakeClock(),
      logger: silentLogger(),
      author: AUTHOR,
    };
    const settings = () => ({
      completionTokens: 1,
      explainTokens: 1,
      halfLifeDays: 9,
      complexityThreshold: 15,
      dictionary: {},
      exclude: [],
    });
    await expect(openProjectSession('/nowhere', { ...services, settings })).rejects.toThrow('no log');
    expect(log.listening).toBe(false);
  });
});

describe('marks by hand', () => {
  test('are in the state when the call resolves, even before any push', async () => {
    const { log, session } = await setUp();
    log.hold = true;
    const ack = await session.mark('src/a.ts', [{ key: 'Priority', value: ' P0 ' }]);
    expect(session.head).toEqual({ seq: ack.seq, hash: ack.hash });
    expect(session.state.focus?.['src/a.ts']).toEqual({ by: 'user', at: '2026-11-30T12:00:00.000Z' });
    expect(session.state.tags?.['src/a.ts']?.['priority']?.set).toMatchObject({
      value: 'high',
      by: 'user',
      source: 'user',
    });
  });

  test('use the dictionary as it is set now', async () => {
    const { session, settings } = await setUp();
    settings.dictionary = { heiß: 'temperature: hot' };
    await session.addTags('src/', [{ key: 'module', value: 'auth "quoted" 🙂' }]);
    expect(session.state.tags?.['src/']?.['module']?.set?.value).toBe('auth "quoted" 🙂');
  });

  test('may have a tag called __proto__, which is a tag and nothing else', async () => {
    const { session } = await setUp();
    await session.addTags('src/a.ts', [{ key: '__proto__', value: 'polluted' }]);
    expect(Object.hasOwn(session.state.tags?.['src/a.ts'] ?? {}, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(session.marks()).toHaveLength(1);
    expect(await session.removeTag('src/a.ts', 'constructor')).toBeNull();
    expect(await session.removeTag('src/a.ts', '__proto__')).not.toBeNull();
    expect(session.marks()).toEqual([]);
  });

  test.each([
    ['a value of 10,000 characters', 'src/a.ts', 'note', 'x'.repeat(10_000)],
    ['no value', 'src/a.ts', 'note', '  '],
    ['a key with punctuation', 'src/a.ts', 'no!te', 'x'],
    ['a target outside', '../a.ts', 'note', 'x'],
    ['a target that is not canonical', './src/a.ts', 'note', 'x'],
  ])('are refused with a sentence for %s, and nothing is written', async (_what, target, key, value) => {
    const { log, session } = await setUp();
    await expect(session.mark(target, [{ key, value }])).rejects.toMatchObject({ code: 'invalid' });
    await expect(session.addTags(target, [{ key, value }])).rejects.toMatchObject({ code: 'invalid' });
    expect(log.deltasOf).toEqual([]);
  });

  test('on lines carry the symbol around them and the hash of their text', async () => {
    const { snapshots, session } = await setUp();
    const outline: Outline = {
      language: 'ts',
      lines: 9,
      items: [
        { kind: 'class', name: 'Shop', start: 1, end: 9 },
        { kind: 'method', name: 'pay', start: 2, end: 6, of: 'Shop' },
      ],
    };
    snapshots.outlines.set('src/a.ts', outline);
    const text = 'class Shop {\n  pay() {\n    a();\n    b();\n    c();\n  }\n}\n';
    await session.mark('src/a.ts#L3-L4', [], text);
    expect(session.state.focus?.['src/a.ts#L3-L4']).toMatchObject({
      symbol: 'Shop.pay',
      linesHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await session.mark('src/b.ts#L3-L4', []);
    expect(Object.keys(session.state.focus?.['src/b.ts#L3-L4'] ?? {}).sort()).toEqual(['at', 'by']);
  });

  test('are listed heaviest first and taken away with their tags', async () => {
    const { clock, session } = await setUp();
    await session.mark('old.ts', [{ key: 'status', value: 'wip' }]);
    clock.advance(9 * 86_400_000);
    await session.mark('new.ts', []);
    expect(session.marks().map(({ target, weight }) => [target, weight])).toEqual([
      ['new.ts', 1000],
      ['old.ts', 500],
    ]);
    expect(await session.unmark('old.ts')).not.toBeNull();
    expect(session.marks().map(({ target }) => target)).toEqual(['new.ts']);
    expect(await session.unmark('old.ts')).toBeNull();
  });

  test('leave tags alone that only the program set', async () => {
    const { log, session } = await setUp();
    log.append([
      {
        op: 'add_tag',
        target: 'a.ts',
        key: 'change',
        value: 'fix',
        by: 'cli-0000',
        at: '2026-11-30T11:00:00.000Z',
        source: 'auto',
      },
    ]);
    expect(session.marks()).toEqual([]);
    expect(await session.unmark('a.ts')).toBeNull();
    expect(await session.removeTag('a.ts', 'change')).toBeNull();
  });
});

describe('snapshots', () => {
  test('carry the marks and are published', async () => {
    const { log, snapshots, session } = await setUp();
    await session.mark('src/a.ts', []);
    log.hold = true;
    const { taken, ack } = await session.take('manual', { active: 'src/a.ts', open: [] });
    expect(snapshots.taken[0]?.marks.focus).toHaveProperty(['src/a.ts']);
    expect(log.published).toEqual([taken]);
    expect(session.latest).toBe(taken);
    expect(session.head.seq).toBe(ack?.seq);
    expect(activeOf(session)).toBe('src/a.ts');
  });

  test('that left outlines out are followed by one with all of them', async () => {
    const { log, snapshots, session } = await setUp((_log, fake) => {
      const { take } = fake;
      fake.take = async (request) => ({
        ...(await take.call(fake, request)),
        ...(request.outlines === 'known' ? { waiting: 2 } : {}),
      });
    }, 'known');
    const editor = { active: 'src/a.ts', open: ['src/a.ts'] };
    const { taken } = await session.take('editor', editor);
    await expect.poll(() => log.published).toHaveLength(2);
    expect(taken.waiting).toBe(2);
    expect(snapshots.taken.map(({ trigger, outlines }) => [trigger, outlines])).toEqual([
      ['editor', 'known'],
      ['editor', 'all'],
    ]);
    expect(snapshots.taken[1]?.editor).toEqual(editor);
    expect(session.latest).not.toHaveProperty('waiting');
  });

  test('tell the other ids of a project once', async () => {
    const { snapshots, session } = await setUp((_log, fake) => {
      fake.identity = { ...IDENTITY, aliases: ['old-id'] };
    });
    await session.take('manual', { active: null, open: [] });
    expect(session.state.aliases).toEqual(['old-id']);
    const { seq } = session.head;
    snapshots.stored = null;
    await session.take('manual', { active: null, open: [] });
    expect(session.head.seq).toBe(seq + 1);
  });

  test('from an earlier run are known at once', async () => {
    const first = await setUp();
    await first.session.take('manual', { active: null, open: [] });
    const { session } = await setUp((_log, snapshots) => {
      snapshots.stored = first.snapshots.stored;
    });
    expect(session.latest?.snapshot.id).toBe(first.session.latest?.snapshot.id);
    expect(session.view(null).snapshot).toBe(session.latest?.snapshot.id);
  });
});

describe('facts of files', () => {
  test('are kept, and an older answer never replaces a newer one', async () => {
    const { snapshots, session } = await setUp();
    snapshots.holdFacts = true;
    const older = session.refreshFacts('a.ts', 'older');
    const newer = session.refreshFacts('a.ts', 'newer');
    expect(session.facts('a.ts')).toBeNull();
    snapshots.held[1]?.();
    await newer;
    snapshots.held[0]?.();
    expect((await older).language).toBe('older');
    expect(session.facts('a.ts')?.language).toBe('newer');
    expect(session.view('a.ts').facts?.language).toBe('newer');
    expect(session.view(null).facts).toBeNull();
  });

  test('are bounded', async () => {
    const { session } = await setUp();
    for (let n = 0; n < 300; n++) await session.refreshFacts(`${n}.ts`, 'x');
    expect(session.facts('0.ts')).toBeNull();
    expect(session.facts('299.ts')).not.toBeNull();
  });
});

describe('requests', () => {
  const request = {
    type: 'explain',
    file: '/nowhere/app/src/a.ts',
    language: 'typescript',
    selection: 'pay()',
  } as const;

  test('get their context from memory, and the receipt follows within 250 ms', async () => {
    const { clock, log, session } = await setUp();
    await session.mark('src/a.ts', [{ key: 'priority', value: 'high' }]);
    await session.refreshFacts('src/a.ts', 'x');
    const injected = session.inject(request);
    expect(injected.request.file).toBe('src/a.ts');
    expect(injected.projectContext).toContain('src/a.ts');
    expect(log.receiptsOf).toEqual([]);
    await clock.advanceAsync(250);
    expect(log.receiptsOf.map(({ id }) => id)).toEqual([injected.receipt.id]);
    expect(injected.receipt.head).toEqual(session.head);
  });

  test('that are only previews leave no receipt', async () => {
    const { clock, log, session } = await setUp();
    session.preview(request);
    await clock.advanceAsync(1_000);
    expect(await session.receipts(5)).toEqual([]);
    expect(log.receiptsOf).toEqual([]);
  });

  test('are listed at once, newest first, and lose no receipt at the end', async () => {
    const { log, session } = await setUp();
    const first = session.inject(request).receipt.id;
    const second = session.inject(request).receipt.id;
    expect((await session.receipts(1)).map(({ id }) => id)).toEqual([second]);
    const third = session.inject(request).receipt.id;
    session.dispose();
    await session.flushReceipts();
    expect(log.receiptsOf.map(({ id }) => id)).toEqual([first, second, third]);
  });

  test('in a file that must not leave are refused before anything is asked', async () => {
    const { session } = await setUp();
    const secret = { ...request, file: '/nowhere/app/.env' };
    expect(() => session.check(secret)).toThrow(expect.objectContaining({ code: 'file_refused' }));
    expect(() => session.inject(secret)).toThrow(expect.objectContaining({ code: 'file_refused' }));
  });

  test('obey the workspace’s own .projectanchorignore, read again at every snapshot', async () => {
    const toplevel = tempDir();
    const { session } = await setUp((_log, snapshots) => {
      snapshots.identity = { ...IDENTITY, toplevel };
    });
    const inside = { ...request, file: join(toplevel, 'private', 'a.ts') };
    expect(() => session.check(inside)).not.toThrow();
    mkdirSync(join(toplevel, 'private'));
    writeFileSync(join(toplevel, '.projectanchorignore'), 'private/\n');
    await session.take('manual', { active: null, open: [] });
    expect(() => session.check(inside)).toThrow(expect.objectContaining({ code: 'file_refused' }));
  });
});

test('the hub’s status is passed on', async () => {
  const { log, session } = await setUp();
  const told: string[] = [];
  session.onDidChange(() => told.push(session.hub.kind));
  log.say({ kind: 'connected', waiting: 0, url: 'ws://127.0.0.1:1' });
  log.say({ kind: 'offline', waiting: 0 });
  expect(told).toEqual(['connected', 'offline']);
});

test('a status of the hub that was told while its first answer was on its way is not overwritten by it', async () => {
  const { session } = await setUp((log) => {
    log.hubStatus = async () => {
      const before = log.status;
      log.say({ kind: 'connected', waiting: 0 });
      return before;
    };
  });
  expect(session.hub.kind).toBe('connected');
});
