import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { DeltaBatch } from '../../../src/delta/index.ts';
import { createApi } from '../../../src/ui/api.ts';
import { type Project, Projects } from '../../../src/ui/projects.ts';

const FILE = { scheme: 'file', fsPath: '/a/src/x.ts' };
const HASH = 'f'.repeat(64);

function api(options: { trusted?: boolean; taken?: boolean } = {}) {
  const listeners = new Set<(batch: DeltaBatch) => void>();
  const injected: unknown[] = [];
  const world = { snapshots: options.taken === false ? 0 : 1, current: '/a' as string | null };
  const session = {
    identity: { workspace: '/a', anchor: { id: 'https://example.com/a#main@t' } },
    get latest() {
      return world.snapshots === 0 ? null : { snapshot: { id: `snapshot ${world.snapshots}` } };
    },
    take: async () => ({ taken: { snapshot: { id: `snapshot ${++world.snapshots}` } } }),
    facts: () => ({}),
    inject: (request: unknown) => {
      injected.push(request);
      return { request };
    },
    onDeltas: (listener: (batch: DeltaBatch) => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  const project = { name: 'a', session, start: () => undefined, dispose: () => undefined } as unknown as Project;
  const projects = new Projects(
    { trusted: options.trusted !== false, folders: () => [{ path: '/a', name: 'a' }] },
    async () => ({ root: { folder: '/a', realFolder: '/a', toplevel: '/a' }, project }),
    { ownerOf: async (path, top) => ({ root: top, passed: [path] }) },
    silentLogger(),
  );
  const subject = createApi(projects, () => world.current, silentLogger());
  const push = (seq: number) => {
    for (const listener of listeners) listener({ anchor: 'a', items: [], head: { seq, hash: HASH } });
  };
  return { subject, world, injected, push, listeners };
}

describe('the API for other extensions', () => {
  it('says which project a file belongs to, and gives its snapshot, taken when there is none', async () => {
    const { subject } = api({ taken: false });
    expect(subject.version).toBe(1);
    expect(await subject.anchor(FILE)).toEqual({ id: 'https://example.com/a#main@t' });
    expect(await subject.snapshot(FILE)).toEqual({ id: 'snapshot 1' });
    expect(await subject.snapshot(FILE)).toEqual({ id: 'snapshot 1' });
  });

  it('injects into the project of the file, and without a file into the one that counts', async () => {
    const { subject, injected, world } = api();
    const explain = { type: 'explain', file: FILE.fsPath, language: 'typescript', selection: 'x' } as const;
    const chat = { type: 'chat', question: 'Where?', session: 's', turn: 't' } as const;
    await subject.inject(explain);
    await subject.inject(chat);
    expect(injected).toEqual([explain, chat]);
    world.current = null;
    await expect(subject.inject(chat)).rejects.toMatchObject({ code: 'outside' });
  });

  it.each([
    ['restricted', { trusted: false }, FILE],
    ['outside', {}, { scheme: 'file', fsPath: '/elsewhere/x.ts' }],
    ['outside', {}, { scheme: 'git', fsPath: '/a/src/x.ts' }],
  ])('rejects with the code %s', async (code, options, uri) => {
    const { subject } = api(options);
    await expect(subject.anchor(uri)).rejects.toMatchObject({ code });
  });

  it('tells of deltas of every project that opens, until it is disposed', async () => {
    const { subject, push, listeners } = api();
    const seen: number[] = [];
    subject.onDelta(({ head }) => seen.push(head.seq));
    await subject.anchor(FILE);
    push(1);
    subject.dispose();
    push(2);
    expect(seen).toEqual([1]);
    expect(listeners.size).toBe(0);
  });
});
