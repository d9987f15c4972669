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

describe('whatever a remote is called and however it is written', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_.-]{0,6}[A-Za-z0-9_-]$/).filter((each) => !/\.git$/i.test(each));
  const host = fc.stringMatching(/^[a-z0-9]{1,8}(?:\.[a-z]{2,4}){1,2}$/).filter((each) => each.length > 1);
  const path = fc.array(name, { minLength: 1, maxLength: 3 });
  const secret = fc.stringMatching(/^[A-Za-z0-9!$*+,;=_~-]{1,12}$/).map((text) => `S3CRET${text}`);

  /** One repository in many spellings. */
  const spellings = fc.record({ host, path, secret, slashes: fc.constantFrom('/', '//') }).map((each) => {
    const joined = each.path.join(each.slashes);
    const hosts = [each.host, each.host.toUpperCase()];
    const urls = hosts.flatMap((at) => [
      `https://${at}/${joined}`,
      `https://${at}:443/${joined}.git`,
      `http://${each.secret}@${at}:80/${joined}/`,
      `https://me:${each.secret}@${at}/${joined}.git/?token=${each.secret}#${each.secret}`,
      `ssh://git:${each.secret}@${at}:22/${joined}`,
      `ssh://${at}/${joined}.git`,
      `git+ssh://git@${at}/${joined}`,
      `git://${at}:9418/${joined}.git`,
      `git@${at}:${joined}.git`,
      `${each.secret}@${at}:/${joined}/`,
      `git@[${at}:22]:${joined}`,
      ` https://${at}/${joined}\n`,
    ]);
    return { urls, form: `https://${each.host}/${each.path.join('/')}` };
  });

  test('all spellings of one remote agree, and none tells a secret', () => {
    fc.assert(
      fc.property(spellings, ({ urls, form }) => {
        for (const url of urls) expect(normaliseRemote(url), url).toBe(form);
        expect(normaliseRemote(form)).toBe(form);
        expect(form).not.toContain('S3CRET');
      }),
    );
  });

  test('a host, a path or a port of its own is another repository', () => {
    fc.assert(
      fc.property(spellings, spellings, fc.integer({ min: 1024, max: 65_535 }), (a, b, port) => {
        fc.pre(a.form !== b.form && port !== 9418);
        expect(normaliseRemote(a.urls[0] ?? '')).not.toBe(normaliseRemote(b.urls[0] ?? ''));
        const ported = a.form.replace(/^(https:\/\/[^/]+)/, `$1:${port}`);
        expect(normaliseRemote(ported)).toBe(ported);
      }),
    );
  });

  test('no text throws, and what is a remote is one with one form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        const form = normaliseRemote(text);
        if (form !== null) expect(form).toMatch(/^https:\/\/[^/@]+(?:\/.*)?$/s);
      }),
      { numRuns: 1_000 },
    );
  });

  const remotes = fc.dictionary(
    fc.constantFrom('origin', 'upstream', 'a', 'B', 'é', '__proto__'),
    fc.constantFrom('https://h/1', 'git@h:2', '/local', ''),
  );

  test('which one is chosen does not depend on their order', () => {
    fc.assert(
      fc.property(remotes, fc.infiniteStream(fc.nat()), (all, order) => {
        const entries = Object.entries(all);
        const shuffled = entries
          .map((entry) => [order.next().value as number, entry] as const)
          .sort(([a], [b]) => a - b)
          .map(([, entry]) => entry);
        const chosen = chooseRemote(new Map(entries));
        expect(chooseRemote(new Map(shuffled))).toEqual(chosen);
        const usable = entries.filter(([, url]) => normaliseRemote(url) !== null).map(([each]) => each);
        expect(chosen === null).toBe(usable.length === 0);
        if (chosen !== null) {
          expect(usable).toContain(chosen.name);
          const first = ['origin', 'upstream'].find((each) => usable.includes(each));
          if (first !== undefined) expect(chosen.name).toBe(first);
          expect(chosen.repository).toBe(normaliseRemote(all[chosen.name] ?? ''));
        }
      }),
    );
  });

  test('the main branch is always one that somebody named, and the first in line who did', () => {
    const branch = fc.constantFrom('main', 'master', 'trunk', 'topic');
    const facts = fc.record({
      remoteHead: fc.option(branch),
      setting: fc.oneof(fc.constant(''), branch),
      defaultBranch: fc.option(branch),
      existing: fc.array(branch).map((names): ReadonlySet<string> => new Set(names)),
      known: fc.option(branch),
      current: fc.option(branch),
    });
    fc.assert(
      fc.property(facts, (each) => {
        const inLine = [
          each.remoteHead,
          each.setting === '' ? null : each.setting,
          ...[each.defaultBranch, 'main', 'master', each.known].map((it) =>
            it !== null && each.existing.has(it) ? it : null,
          ),
          each.current,
          'main',
        ];
        expect(chooseMainBranch(each)).toBe(inLine.find((it) => it !== null));
      }),
    );
  });

  test('ids differ whenever one of their fields does', () => {
    const branch = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a#b', 'a@b', 'a%23b', 'a#b@T'));
    const field = fc.tuple(
      spellings.map(({ form }) => form),
      branch,
      fc.constantFrom('2026-11-30T10:00:00.000Z', '2026-11-30T10:00:00.001Z'),
    );
    fc.assert(
      fc.property(field, field, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        expect(anchorId(...a) === anchorId(...b)).toBe(same);
        expect(anchorId(...a)).toBe(anchorId(...a));
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
