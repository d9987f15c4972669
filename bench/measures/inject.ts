import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateTokenCount } from 'tokenx';
import type { Core } from '../lib/core.ts';
import type { Corpus } from '../lib/corpus.ts';
import { type Row, timingRow } from '../lib/report.ts';
import { paired } from '../lib/stats.ts';

const ROUNDS = 300;
const WARMUP = 30;
/** Files taken in turn, spread over the corpus. */
const FILES = 12;

/** The context of a completion from memory alone, against the token estimate of that same text. */
export async function injectRows(core: Core, corpus: Corpus): Promise<Row[]> {
  const data = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  const project = await core.openProject(corpus.root, data);
  try {
    const sources = corpus.git('ls-files', '-z', '*.ts').split('\0').filter(Boolean);
    const chosen = Array.from({ length: FILES }, (_, i) => sources[Math.floor((i * sources.length) / FILES)] ?? '');
    await project.session.take('manual', { active: chosen[0] ?? null, open: chosen });
    for (const path of chosen) await project.session.refreshFacts(path, null);
    await project.session.mark(chosen[0] ?? '.', [{ key: 'priority', value: 'high' }]);
    const requests = chosen.map((file) => requestIn(corpus.root, file));
    let turn = 0;
    const context = () => {
      const request = requests[turn % requests.length];
      if (request === undefined) throw new Error('no file to ask about');
      return project.session.preview(request);
    };
    const texts = requests.map((request) => project.session.preview(request).projectContext);
    const result = await paired({
      rounds: ROUNDS,
      warmup: WARMUP,
      before: () => turn++,
      subject: context,
      baseline: () => estimateTokenCount(texts[turn % texts.length] ?? ''),
    });
    return [timingRow('inject for a completion', 'tokenx over that context', result)];
  } finally {
    await project.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

/** A cursor in the middle of a file. */
function requestIn(root: string, file: string) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const line = Math.max(1, Math.floor(lines.length / 2));
  return {
    type: 'completion' as const,
    file,
    language: 'typescript',
    line,
    prefix: lines.slice(0, line).join('\n').slice(-4_000),
    suffix: lines.slice(line).join('\n').slice(0, 2_000),
  };
}
