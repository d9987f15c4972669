import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSamePath, longestFolder, pathInProject } from '../../../src/ui/paths.ts';

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
  it('is the longest folder, the folder itself included', () => {
    expect(longestFolder(['/w', '/w/app'], '/w/app')).toBe('/w/app');
    expect(longestFolder(['/w/app', '/w'], '/w/x')).toBe('/w');
    expect(longestFolder(['/w'], '/x')).toBeNull();
  });

  it('is made segment by segment', () => {
    expect(longestFolder(['/a/app', '/a'], '/a/app2/x.ts')).toBe('/a');
    expect(longestFolder(['/a/app'], '/a/app2/x.ts')).toBeNull();
    expect(longestFolder(['/a/app', '/a/app/lib', '/a'], '/a/app/lib/x.ts')).toBe('/a/app/lib');
    expect(longestFolder(['/'], '/x.ts')).toBe('/');
  });
});

describe('on Windows', () => {
  // The editor writes drives in lower case, git and the system in upper case.
  const root = { folder: 'c:\\Work\\app', realFolder: 'C:\\Work\\app', toplevel: 'C:\\Work\\app' };

  it('drives and names are compared without regard to case, and paths get slashes', () => {
    expect(pathInProject(root, 'c:\\Work\\app\\src\\a.ts', win32)).toBe('src/a.ts');
    expect(pathInProject(root, 'C:\\WORK\\app\\src\\A.ts', win32)).toBe('src/A.ts');
    expect(isSamePath('c:\\work', 'C:\\Work\\', win32)).toBe(true);
  });

  it('another drive, a share and a neighbour are outside', () => {
    for (const file of ['d:\\Work\\app\\a.ts', '\\\\host\\share\\app\\a.ts', 'c:\\Work\\app2\\a.ts', 'c:\\Work']) {
      expect(pathInProject(root, file, win32), file).toBeNull();
    }
  });

  it('the longest folder is found across spellings', () => {
    const folders = ['c:\\Work', 'c:\\Work\\app'];
    expect(longestFolder(folders, 'C:\\work\\APP\\a.ts', win32)).toBe('c:\\Work\\app');
    expect(longestFolder(folders, 'c:\\Work\\app2\\a.ts', win32)).toBe('c:\\Work');
  });
});
