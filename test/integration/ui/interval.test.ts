import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openProject } from '../../../src/agents/core.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

const EDITOR = { active: 'a.ts', open: ['a.ts'] };

it('an interval that finds everything as it was stores nothing and publishes nothing', async () => {
  const repo = GitSandbox.init(join(tempDir(), 'repo')).write('a.ts', 'export const a = 1;\n');
  repo.commit('one');
  const { session, dispose } = await openProject(repo.root, tempDir());
  onTestFinished(dispose);
  await session.take('editor', EDITOR);
  const before = session.head;
  for (let tick = 0; tick < 3; tick++) {
    const { taken, ack } = await session.take('interval', EDITOR);
    expect(taken.stored).toBe(false);
    expect(ack).toBeNull();
  }
  expect(session.head).toEqual(before);
  repo.write('a.ts', 'export const a = 2;\n');
  const { taken, ack } = await session.take('interval', EDITOR);
  expect(taken).toMatchObject({ stored: true, snapshot: { trigger: 'interval', git: { unstaged: ['a.ts'] } } });
  expect(ack?.seq).toBeGreaterThan(before.seq);
});
