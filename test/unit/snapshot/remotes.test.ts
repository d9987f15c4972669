import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseMainBranch } from '../../../src/snapshot/anchor.ts';
import { anchorId, chooseRemote, localRepository, normaliseRemote, workspaceId } from '../../../src/snapshot/index.ts';

const SHOP = 'https://github.com/Acme/Shop';

describe('normaliseRemote', () => {
  test.each([
    'https://github.com/Acme/Shop',
    'https://github.com/Acme/Shop.git',
    'https://github.com/Acme/Shop/',
    'https://github.com/Acme/Shop.git/',
    'https://github.com//Acme///Shop//',
    'http://GitHub.COM/Acme/Shop',
    'https://user:pa%40ss@github.com/Acme/Shop.git',
    'https://token@github.com:443/Acme/Shop',
    'http://github.com:80/Acme/Shop?x=1#frag',
    'ssh://git@github.com/Acme/Shop.git',
    'ssh://git@github.com:22/Acme/Shop.git',
    'ssh://github.com/Acme/Shop',
    'git+ssh://git@github.com/Acme/Shop',
    'git://github.com/Acme/Shop.git',
    'git://github.com:9418/Acme/Shop.git',
    'git@github.com:Acme/Shop.git',
    'git@github.com:/Acme/Shop.git/',
    'github.com:Acme/Shop',
    'git@[github.com:22]:Acme/Shop.git',
    '  https://github.com/Acme/Shop \n',
    'HTTPS://github.com/Acme/Shop',
    'https://github.com/Acm%65/Shop',
  ])('%j is the same repository', (url) => {
    expect(normaliseRemote(url)).toBe(SHOP);
  });

  test.each([
    ['https://github.com/acme/shop', 'https://github.com/acme/shop'],
    ['ssh://git@host.example:2222/a/b.git', 'https://host.example:2222/a/b'],
    ['https://h.example:08443/a', 'https://h.example:8443/a'],
    ['git@host.example:~user/a.git', 'https://host.example/~user/a'],
    ['ssh://git@[2001:DB8::1]:2222/a', 'https://[2001:db8::1]:2222/a'],
    ['git@[::1]:a/b', 'https://[::1]/a/b'],
    ['https://h/a.git.git', 'https://h/a.git'],
    ['https://h/a/.git', 'https://h/a'],
    ['https://h/a%20b%23c', 'https://h/a b%23c'],
    ['git@h:a b#c', 'https://h/a b%23c'],
    ['https://h/100%', 'https://h/100%25'],
    ['https://h', 'https://h'],
  ])('%s becomes %s', (url, expected) => {
    expect(normaliseRemote(url)).toBe(expected);
  });

  test.each([
    '',
    '/srv/git/shop.git',
    './shop',
    '../shop.git',
    'shop',
    'file:///srv/git/shop.git',
    'C:\\work\\shop',
    'C:/work/shop',
    './a:b',
    'a/b:c',
    'ext::ssh -p 22 x %S y',
    'https:///x',
    'https://host:port/x',
    'ftp://h/x',
    'https://ho st/x',
  ])('%j is not a remote', (url) => {
    expect(normaliseRemote(url)).toBeNull();
  });

  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/);
  const host = fc.stringMatching(/^[a-z0-9]{1,8}\.[a-z]{2,4}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

  test('every way to write a URL leads to one form', () => {
    const port = fc.constantFrom('', ':22', ':80', ':443', ':9418');
    const credentials = fc.constantFrom('', 'git@', 'user:secret@', 'a%40b:c@');
    const scheme = fc.constantFrom('ssh', 'git', 'http', 'https', 'SSH');
    const ending = fc.constantFrom('', '/', '.git', '.git/', '?q=1', '#x', '.git?q#x');
    fc.assert(
      fc.property(scheme, credentials, host, port, path, ending, (a, b, c, d, e, f) => {
        const expected = `https://${c}/${e}`;
        expect(normaliseRemote(`${a}://${b}${c.toUpperCase()}${d}/${e}${f}`)).toBe(expected);
        expect(normaliseRemote(`git@${c}:${e}.git`)).toBe(expected);
      }),
    );
  });

  test('the form is its own form, and holds no credentials', () => {
    const any = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.tuple(host, path).map(([h, p]) => `ssh://me:hunter2@${h}:2222/${p}`),
      fc.string({ unit: 'binary' }).map((text) => `https://h.example/${text}`),
      fc.string().map((text) => `git@h.example:${text}`),
    );
    fc.assert(
      fc.property(any, (url) => {
        const form = normaliseRemote(url);
        // A path may end with another .git, or have a question mark that scp takes as it is.
        if (form === null || form.endsWith('.git') || form.includes('?')) return;
        expect(normaliseRemote(form)).toBe(form);
        expect(form).not.toContain('hunter2');
        expect(form).not.toMatch(/[#\p{Cc}]/u);
      }),
    );
  });
});

test('origin, else upstream, else the first by name, of those that are remotes', () => {
  const url = (name: string) => `https://h/${name}`;
  const choose = (...names: string[]) => chooseRemote(new Map(names.map((name) => [name, url(name)])))?.name;
  expect(choose('zeta', 'upstream', 'origin')).toBe('origin');
  expect(choose('zeta', 'upstream', 'alpha')).toBe('upstream');
  expect(choose('zeta', 'Beta', 'alpha')).toBe('Beta');
  expect(
    chooseRemote(
      new Map([
        ['origin', '/srv/x.git'],
        ['mirror', 'git@h:x'],
      ]),
    ),
  ).toEqual({ name: 'mirror', repository: 'https://h/x' });
  expect(chooseRemote(new Map([['origin', '/srv/x.git']]))).toBeNull();
  expect(chooseRemote(new Map())).toBeNull();
});

describe('ids', () => {
  test('are as the protocol writes them', () => {
    expect(anchorId(SHOP, 'main', '2026-11-30T10:00:00.000Z')).toBe(`${SHOP}#main@2026-11-30T10:00:00.000Z`);
    expect(anchorId(SHOP, 'a#b%', 'T')).toBe(`${SHOP}#a%23b%25@T`);
  });

  test('depend on the machine and on the place', () => {
    const all = [
      localRepository('local', 'm1', '/a/.git'),
      localRepository('local', 'm2', '/a/.git'),
      localRepository('local', 'm1', '/b/.git'),
      localRepository('folder', 'm1', '/a'),
    ];
    expect(new Set(all).size).toBe(4);
    expect(all[0]).toMatch(/^local:[0-9a-f]{32}$/);
    expect(all[3]).toMatch(/^folder:[0-9a-f]{32}$/);
    expect(workspaceId('m1', '/a')).toMatch(/^[0-9a-f]{32}$/);
    expect(workspaceId('m1', '/a')).not.toBe(workspaceId('m2', '/a'));
    // Fixed by the protocol: the first 32 hex digits of the hash of a list.
    expect(workspaceId('m', '/w')).toBe('e52e3d9ca0aeab34b106f8a8dd8e068e');
  });
});

test('the main branch: remote HEAD, setting, init.defaultBranch if it exists, main, master, the known one, the current one, main', () => {
  const nothing = {
    remoteHead: null,
    setting: '',
    defaultBranch: null,
    existing: new Set<string>(),
    known: null,
    current: null,
  };
  expect(chooseMainBranch(nothing)).toBe('main');
  expect(chooseMainBranch({ ...nothing, current: 'topic' })).toBe('topic');
  expect(chooseMainBranch({ ...nothing, current: 'topic', known: 'trunk', existing: new Set(['trunk']) })).toBe(
    'trunk',
  );
  expect(chooseMainBranch({ ...nothing, current: 'topic', known: 'trunk' })).toBe('topic');
  expect(chooseMainBranch({ ...nothing, current: 'topic', existing: new Set(['master']) })).toBe('master');
  expect(chooseMainBranch({ ...nothing, existing: new Set(['master', 'main']) })).toBe('main');
  expect(chooseMainBranch({ ...nothing, defaultBranch: 'trunk', existing: new Set(['main', 'trunk']) })).toBe('trunk');
  expect(chooseMainBranch({ ...nothing, defaultBranch: 'trunk', existing: new Set(['main']) })).toBe('main');
  expect(chooseMainBranch({ ...nothing, setting: 'release', existing: new Set(['main']) })).toBe('release');
  expect(chooseMainBranch({ ...nothing, setting: 'release', remoteHead: 'develop' })).toBe('develop');
});
