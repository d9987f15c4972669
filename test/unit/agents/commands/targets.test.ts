import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathInProject, targetFrom } from '../../../../src/agents/commands/targets.ts';
import { tempDir } from '../../../support/temp.ts';

function project() {
  const toplevel = tempDir();
  mkdirSync(join(toplevel, 'src', 'deep'), { recursive: true });
  for (const file of ['a.ts', 'src/a.ts', 'src/b#c.ts', 'src/d#L3.ts', 'src/100%.ts', 'src/deep/只.ts']) {
    writeFileSync(join(toplevel, file), 'x\n');
  }
  const root = { toplevel, cwd: toplevel };
  const inSrc = { toplevel, cwd: join(toplevel, 'src') };
  return { toplevel, root, inSrc };
}

describe('a target as a person types it', () => {
  test.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src/../src/a.ts', 'src/a.ts'],
    ['src', 'src/'],
    ['src/', 'src/'],
    ['src/deep/', 'src/deep/'],
    ['.', '.'],
    ['src/a.ts#L2-L4', 'src/a.ts#L2-L4'],
    ['src/a.ts#L2', 'src/a.ts#L2-L2'],
    ['src/a.ts#sym:Shop.pay', 'src/a.ts#sym:Shop.pay'],
    ['src/b#c.ts', 'src/b%23c.ts'],
    ['src/b%23c.ts', 'src/b%23c.ts'],
    ['src/d#L3.ts', 'src/d%23L3.ts'],
    ['src/100%.ts', 'src/100%25.ts'],
    ['src/deep/只.ts', 'src/deep/只.ts'],
  ])('%s at the root is %s', (typed, target) => {
    expect(targetFrom(project().root, typed)).toEqual({ target, exists: true });
  });

  test.each([
    ['a.ts', 'src/a.ts'],
    ['deep', 'src/deep/'],
    ['.', 'src/'],
    ['..', '.'],
    ['../a.ts', 'a.ts'],
    ['src/a.ts', 'src/a.ts'],
    ['src/deep', 'src/deep/'],
  ])('%s in src/ is %s', (typed, target) => {
    expect(targetFrom(project().inSrc, typed)).toEqual({ target, exists: true });
  });

  test('is the same by its absolute path and through a link above the root', () => {
    const { toplevel, root } = project();
    const link = join(tempDir(), 'link');
    symlinkSync(toplevel, link);
    expect(targetFrom(root, join(toplevel, 'src/a.ts')).target).toBe('src/a.ts');
    expect(targetFrom(root, join(link, 'src/a.ts')).target).toBe('src/a.ts');
    expect(targetFrom({ toplevel, cwd: link }, 'src').target).toBe('src/');
  });

  test('may be missing, and says so', () => {
    const { root, inSrc } = project();
    expect(targetFrom(root, 'gone.ts')).toEqual({ target: 'gone.ts', exists: false });
    expect(targetFrom(root, 'gone/')).toEqual({ target: 'gone/', exists: false });
    expect(targetFrom(inSrc, 'gone.ts#L1-L2')).toEqual({ target: 'src/gone.ts#L1-L2', exists: false });
  });

  test.each(['/etc/passwd', '../../up', '../up'])('outside of the project (%s) is refused', (typed) => {
    expect(() => targetFrom(project().root, typed)).toThrow(expect.objectContaining({ code: 'outside' }));
  });

  test.each(['', 'src#L1-L2', 'src/#sym:A', 'src/a.ts#L5-L2', 'src/a.ts#L0', 'a\0b'])(
    'that makes no sense (%j) is invalid',
    (typed) => {
      expect(() => targetFrom(project().root, typed)).toThrow(expect.objectContaining({ code: 'invalid' }));
    },
  );
});

test('a file is found from where the person is', () => {
  const { inSrc } = project();
  expect(pathInProject(inSrc, 'a.ts')).toBe('src/a.ts');
  expect(pathInProject(inSrc, '..')).toBe('');
});
