/**
 * A process in place of the snapshot worker, and like it without a time limit for single texts, in which texts are outlined and trees are indexed, beside the bare parsers: from the sources, with the same
 * TypeScript for all, and fresh for whatever is to be met cold.
 */

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createGate } from '../../src/snapshot/gate.ts';
import { createGrammarParser } from '../../src/snapshot/grammars/index.ts';
import { createSnapshotService, type SnapshotService } from '../../src/snapshot/index.ts';
import { Outlines } from '../../src/snapshot/outlines.ts';
import { createParser } from '../../src/snapshot/parser.ts';
import { TextReaders } from '../../src/snapshot/text-readers.ts';
import { openCache, openStore } from '../../src/store/index.ts';
import { rounds, type Summary } from './stats.ts';

export type Order =
  /** Outlines of one file as an editor asks for them, clean and with one line cut off, beside typescript-estree's parse. */
  | { readonly kind: 'outlines'; readonly path: string; readonly text: string; readonly rounds: number }
  /** `createSourceFile` over all files, whose texts are read before. */
  | { readonly kind: 'source-files'; readonly root: string; readonly paths: readonly string[] }
  /** The first pass of the index, and one more after a file has changed, so often. */
  | { readonly kind: 'index'; readonly root: string; readonly first: string; readonly changes: number };

export interface OutlineFigures {
  readonly clean: Summary;
  readonly broken: Summary;
  readonly bare: Summary;
}

export interface IndexFigures {
  /** Of the first pass, in ms. */
  readonly ms: number;
  /** Of the passes after one change each, in ms. */
  readonly updates: readonly number[];
  readonly files: number;
  /** Bytes of the heap that the index takes. */
  readonly heap: number;
  /** Bytes of its file. */
  readonly disk: number;
}

async function outlines({ path, text, rounds: count }: Order & { kind: 'outlines' }): Promise<OutlineFigures> {
  const { parse } = await import('@typescript-eslint/typescript-estree');
  const readers = new TextReaders(createParser(null), createGrammarParser({ limitMs: null }));
  const subject = new Outlines(tmpdir(), createGate(), readers, { signatures: true });
  const lines = text.split('\n');
  // Every time another line is cut in its middle, and a line is added that makes the text a new one for every cache.
  let turn = 0;
  const fresh = (whole: string) => `${whole}\n// ${turn++}\n`;
  const cut = (round: number) => {
    for (let at = (round * 7919) % lines.length; ; at = (at + 1) % lines.length) {
      const line = lines[at] ?? '';
      const cut = lines.with(at, line.slice(0, line.length / 2)).join('\n');
      if (line.trim() !== '' && !parses(cut)) return cut;
    }
  };
  const parses = (whole: string) => {
    try {
      parse(whole, { filePath: path });
      return true;
    } catch {
      return false;
    }
  };
  let broken = '';
  return rounds(
    {
      clean: () => subject.ofText(path, fresh(text)),
      broken: async () => {
        await subject.ofText(path, fresh(broken));
      },
      bare: () => {
        parse(fresh(text), { filePath: path, range: true });
      },
    },
    { rounds: count, warmup: count, before: (round) => (broken = cut(round)) },
  );
}

async function sourceFiles({ root, paths }: Order & { kind: 'source-files' }): Promise<number> {
  const { default: ts } = await import('typescript');
  const texts = paths.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
  ts.createSourceFile('a.ts', 'let a', ts.ScriptTarget.Latest);
  const start = performance.now();
  for (const [path, text] of texts) ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return performance.now() - start;
}

async function index({ root, first, changes }: Order & { kind: 'index' }): Promise<IndexFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  const clock = systemClock();
  const logger = silentLogger();
  try {
    const cache = await openCache({ folder, clock, logger });
    if (cache === null) throw new Error('there is no cache');
    const store = await openStore({ folder, logger });
    const service = createSnapshotService({ store, machine: 'a'.repeat(32), clock, logger, cache, parseLimitMs: null });
    const take = () => takeOne(service, root);
    await take();
    // The parser is here before the pass begins.
    await service.outline(root, first);
    const before = heap();
    const start = performance.now();
    const state = await service.index(root, 'run');
    const ms = performance.now() - start;
    if (!state.complete) throw new Error('the index is not complete');
    const after = heap();
    const updates: number[] = [];
    for (let turn = 0; turn < changes; turn++) {
      process.send?.({ change: turn });
      await new Promise((resolve) => process.once('message', resolve));
      await take();
      const from = performance.now();
      await service.index(root, 'run');
      updates.push(performance.now() - from);
    }
    await service.dispose();
    cache.close();
    const disk = statSync(join(folder, 'cache-2.db')).size;
    store.close();
    return { ms, updates, files: state.files, heap: after - before, disk };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function takeOne(service: SnapshotService, root: string) {
  const editor = { active: null, open: [] };
  return service.take({ folder: root, trigger: 'manual', editor, marks: { tags: {}, focus: {} }, outlines: 'known' });
}

/** What is in use of the heap when all that can be thrown away is. */
function heap(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error('this process needs --expose-gc');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

function work(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'outlines':
      return outlines(order);
    case 'source-files':
      return sourceFiles(order);
    default:
      return index(order);
  }
}

process.once('message', (order: Order) => {
  work(order).then(
    (done) => process.send?.({ done }, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
