import { describe, expect, it } from 'vitest';
import { deepestRoot, longestFolder, pathInProject } from '../../../src/ui/paths.ts';

const plain = { folder: '/w/app', realFolder: '/w/app', toplevel: '/w/app' };

describe('pathInProject', () => {
  it('is relative to the working tree', () => {
    expect(pathInProject(plain, '/w/app/src/a.ts')).toBe('src/a.ts');
    expect(pathInProject(plain, '/w/app')).toBe('');
  });

  it('is null outside, also for a neighbour whose name begins the same', () => {
    expect(pathInProject(plain, '/w/app2/a.ts')).toBeNull();
    expect(pathInProject(plain, '/w')).toBeNull();
  });

  it('is null for a document that is on no disk', () => {
    const here = process.cwd();
    expect(pathInProject({ folder: here, realFolder: here, toplevel: here }, 'untitled:Untitled-1')).toBeNull();
  });

  it('keeps names that begin with two dots', () => {
    expect(pathInProject(plain, '/w/app/..a/b')).toBe('..a/b');
  });

  it('starts at the top of the tree when the folder lies below it', () => {
    const below = { folder: '/w/app/packages/x', realFolder: '/w/app/packages/x', toplevel: '/w/app' };
    expect(pathInProject(below, '/w/app/packages/x/a.ts')).toBe('packages/x/a.ts');
    expect(pathInProject(below, '/w/app/README.md')).toBe('README.md');
  });

  it('follows the symbolic link by which the folder was opened', () => {
    const linked = { folder: '/home/link', realFolder: '/w/app/sub', toplevel: '/w/app' };
    expect(pathInProject(linked, '/home/link/a.ts')).toBe('sub/a.ts');
    expect(pathInProject(linked, '/w/app/b.ts')).toBe('b.ts');
  });
});

describe('the choice among several', () => {
  it('is the deepest tree, whatever the order', () => {
    const outer = { root: plain };
    const inner = { root: { folder: '/w/app/lib', realFolder: '/w/app/lib', toplevel: '/w/app/lib' } };
    for (const roots of [
      [outer, inner],
      [inner, outer],
    ]) {
      expect(deepestRoot(roots, '/w/app/lib/x')).toBe(inner);
      expect(deepestRoot(roots, '/w/app/x')).toBe(outer);
    }
    expect(deepestRoot([outer], '/elsewhere')).toBeNull();
  });

  it('is the longest folder, the folder itself included', () => {
    expect(longestFolder(['/w', '/w/app'], '/w/app')).toBe('/w/app');
    expect(longestFolder(['/w/app', '/w'], '/w/x')).toBe('/w');
    expect(longestFolder(['/w'], '/x')).toBeNull();
  });
});
