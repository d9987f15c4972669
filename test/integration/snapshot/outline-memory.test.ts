import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createGate } from '../../../src/snapshot/gate.ts';
import { createGrammarParser } from '../../../src/snapshot/grammars/index.ts';
import { Outlines } from '../../../src/snapshot/outlines.ts';
import { createParser } from '../../../src/snapshot/parser.ts';
import { TextReaders } from '../../../src/snapshot/text-readers.ts';

/** What of the heap is in use when all that can be thrown away is, in bytes. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

test('10,000 texts in an editor, every tenth of them broken, leave the memory where it was', async () => {
  const readers = new TextReaders(createParser(null), createGrammarParser({ limitMs: null }));
  const outlines = new Outlines(tmpdir(), createGate(), readers, { signatures: true });
  const read = async (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const path = `src/f${index % 2_000}.ts`;
      const text = `import { a } from './a';\nexport class C${index} {\n  m(x = ${index}): string { return a; }\n}\n`;
      await outlines.ofText(path, index % 10 === 0 ? `${text}export function (` : text);
    }
  };
  // As many as are kept, twice over.
  await read(0, 1_000);
  const before = heap();
  await read(1_000, 11_000);
  // One tree that is kept of each text takes many times that.
  expect(heap() - before).toBeLessThan(4_000_000);
}, 60_000);
