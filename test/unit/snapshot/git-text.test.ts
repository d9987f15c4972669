import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash } from '../../../src/base/index.ts';
import {
  parseConfig,
  parseIgnored,
  parseLog,
  parseLogWithPaths,
  parseRefs,
  parseStatus,
  parseTracked,
} from '../../../src/snapshot/git-parse.ts';
import { commitInfo, gitStateOf, notedCommit } from '../../../src/snapshot/git-state.ts';
import { commitKinds, createGate, describeDegraded, languageOf } from '../../../src/snapshot/index.ts';

const OID = 'a'.repeat(40);

function z(...records: (string | Buffer)[]): Buffer {
  return Buffer.concat(records.flatMap((record) => [Buffer.from(record as string), Buffer.of(0)]));
}

describe('commit kinds', () => {
  test.each<[string, string[]]>([
    ['[refactor] split the parser', ['refactor']],
    ['[Refactor][auth] x', ['refactor', 'auth']],
    ['[refactor, test] x', ['refactor', 'test']],
    ['fix(login): y', ['fix']],
    ['fix: y', ['fix']],
    ['feat!: drop Node 20', ['feat']],
    ['Feat(api)!: y', ['feat']],
    ['[refactor] fix(auth): y', ['refactor', 'fix']],
    ['【重构】登录模块', ['refactor']],
    ['［修复］登录', ['fix']],
    ['修复：登录失败', ['fix']],
    ['重构（登录）：拆分', ['refactor']],
    ['bugfix: x', ['fix']],
    ['[ABC-123] fix: z', ['fix']],
    ['[#12] docs: z', ['docs']],
    ['Merge branch: x', []],
    ['note: this is prose', []],
    ['Update a: b', []],
    ['[] x', []],
    ['[a][b][c][d][e] x', ['a', 'b', 'c', 'd']],
    ['', []],
    ['[🔥] x', []],
    ['[__proto__] x', []],
    ['constructor: x', []],
  ])('%j', (subject, kinds) => {
    expect(commitKinds(subject)).toEqual(kinds);
  });

  test('are few, short and never fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (subject) => {
        const kinds = commitKinds(`[${subject}] ${subject}`);
        expect(kinds.length).toBeLessThanOrEqual(4);
        for (const kind of kinds) expect(kind).toMatch(/^\p{L}[\p{L}\p{N}_]{0,31}$/u);
      }),
    );
  });
});

describe('status', () => {
  const text = z(
    `# branch.oid ${OID}`,
    '# branch.head feature/x y',
    '# branch.upstream origin/feature',
    '# branch.ab +2 -3',
    '# stash 1',
    `1 M. N... 100644 100644 100644 ${OID} ${OID} staged file.ts`,
    `1 .M N... 100644 100644 100644 ${OID} ${OID} a\tb\n.ts`,
    `1 MM N... 100644 100644 100644 ${OID} ${OID} both.ts`,
    `2 R. N... 100644 100644 100644 ${OID} ${OID} R100 new name.ts`,
    'old name.ts',
    `1 .M SC.. 160000 160000 160000 ${OID} ${OID} lib/moved`,
    `1 .M S.MU 160000 160000 160000 ${OID} ${OID} lib/dirty`,
    `u UU N... 100644 100644 100644 100644 ${OID} ${OID} ${OID} conflict.ts`,
    Buffer.from([0x3f, 0x20, 0x62, 0xff, 0x64]),
    '? new dir/file.ts',
    '? nested/',
    '! ignored.ts',
  );
  const status = parseStatus(text);

  test('head, upstream and entries', () => {
    expect(status).toMatchObject({
      commit: OID,
      branch: 'feature/x y',
      upstream: { name: 'origin/feature', ahead: 2, behind: 3 },
    });
    expect(status.entries.map(({ path, staged, unstaged }) => [path, staged + unstaged])).toEqual([
      ['staged file.ts', 'M.'],
      ['a\tb\n.ts', '.M'],
      ['both.ts', 'MM'],
      ['new name.ts', 'R.'],
      ['lib/moved', '.M'],
      ['lib/dirty', '.M'],
      ['conflict.ts', 'UU'],
      ['b\udcffd', '??'],
      ['new dir/file.ts', '??'],
      ['nested/', '??'],
    ]);
    expect(status.entries.find(({ from }) => from !== undefined)).toMatchObject({
      path: 'new name.ts',
      from: 'old name.ts',
    });
    expect(status.entries.map(({ submodule }) => submodule?.dirty)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      false,
      true,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(status.entries.filter(({ conflicted }) => conflicted)).toHaveLength(1);
  });

  test('as a GitState', () => {
    const recent = [
      { commit: OID, subject: '[refactor] x', at: 0 },
      { commit: 'b'.repeat(40), subject: 'y', at: 0 },
    ];
    const state = gitStateOf({ status, operation: 'merge', recent, bounded: true, submodules: [] }, createGate());
    expect(state).toEqual({
      head: { kind: 'branch', branch: 'feature/x y', commit: OID },
      upstream: { name: 'origin/feature', ahead: 2, behind: 3 },
      staged: ['staged file.ts', 'both.ts', 'new name.ts'],
      unstaged: ['a\tb\n.ts', 'both.ts', 'lib/moved', 'lib/dirty'],
      untracked: ['b%FFd', 'new dir/file.ts', 'nested/'],
      conflicted: ['conflict.ts'],
      operation: 'merge',
      history: hash([OID, 'b'.repeat(40)]),
      bounded: true,
      lastCommit: { commit: OID, subject: '[refactor] x', at: '1970-01-01T00:00:00.000Z', kinds: ['refactor'] },
      submodules: [],
    });
  });

  test('the stamp tells any two outputs apart', () => {
    expect(parseStatus(text).stamp).toBe(status.stamp);
    expect(parseStatus(Buffer.concat([text, z('? x')])).stamp).not.toBe(status.stamp);
  });

  test('unborn, detached, upstream gone', () => {
    const facts = (...headers: string[]) => {
      const parsed = parseStatus(z(...headers));
      return gitStateOf(
        { status: parsed, operation: undefined, recent: [], bounded: false, submodules: [] },
        createGate(),
      );
    };
    expect(facts('# branch.oid (initial)', '# branch.head main')).toMatchObject({
      head: { kind: 'unborn', branch: 'main' },
      history: hash([]),
    });
    expect(facts(`# branch.oid ${OID}`, '# branch.head (detached)').head).toEqual({ kind: 'detached', commit: OID });
    expect(
      facts(`# branch.oid ${OID}`, '# branch.head main', '# branch.upstream origin/gone').upstream,
    ).toBeUndefined();
  });

  test('lists are cut at 200 and counted; what the gate refuses is in none', () => {
    const many = Array.from({ length: 250 }, (_, n) => `? f${n}.ts`);
    const parsed = parseStatus(
      z('# branch.oid (initial)', '# branch.head main', '? .env', '? node_modules/a.js', ...many),
    );
    const state = gitStateOf(
      { status: parsed, operation: undefined, recent: [], bounded: false, submodules: [] },
      createGate(),
    );
    expect(state.untracked).toHaveLength(200);
    expect(state.untracked[0]).toBe('f0.ts');
    expect(state.untrackedMore).toBe(50);
    expect('stagedMore' in state).toBe(false);
  });

  test('any names come through', () => {
    const names = fc.uint8Array({ minLength: 1, maxLength: 12 }).filter((bytes) => !bytes.includes(0));
    fc.assert(
      fc.property(fc.array(names, { maxLength: 6 }), (all) => {
        const records = all.map((name) => Buffer.concat([Buffer.from(`1 .M N... 1 2 3 ${OID} ${OID} `), name]));
        expect(parseStatus(z('# branch.head main', ...records)).entries).toHaveLength(all.length);
      }),
    );
  });
});

describe('other outputs', () => {
  test('ls-files: kinds, conflicts once, sparse', () => {
    const output = z(
      `H 100644 ${OID} 0\ta b.ts`,
      `H 100755 ${OID} 0\trun.sh`,
      `H 120000 ${OID} 0\tlink`,
      `H 160000 ${OID} 0\tsub`,
      `M 100644 ${OID} 1\tx.ts`,
      `M 100644 ${OID} 2\tx.ts`,
      `M 100644 ${OID} 3\tx.ts`,
      `S 100644 ${OID} 0\tfar.ts`,
    );
    expect(parseTracked(output).map(({ path, kind, sparse }) => [path, kind, sparse])).toEqual([
      ['a b.ts', 'file', undefined],
      ['run.sh', 'file', undefined],
      ['link', 'link', undefined],
      ['sub', 'submodule', undefined],
      ['x.ts', 'file', undefined],
      ['far.ts', 'file', true],
    ]);
    expect(parseTracked(Buffer.alloc(0))).toEqual([]);
  });

  test('log, with and without paths', () => {
    expect(parseLog(z(OID, '1700000000', 'subject: x', 'b'.repeat(40), '5', ''))).toEqual([
      { commit: OID, at: 1_700_000_000_000, subject: 'subject: x' },
      { commit: 'b'.repeat(40), at: 5000, subject: '' },
    ]);
    const output = z(
      `\x01${OID}`,
      '1',
      'one',
      '\na.ts',
      '\x01b.ts',
      '\nc.ts',
      `\x01${'b'.repeat(40)}`,
      '2',
      'empty',
      `\x01${'c'.repeat(40)}`,
      '3',
      'last',
      '\nd',
    );
    expect(parseLogWithPaths(output).map(({ subject, paths }) => [subject, paths])).toEqual([
      ['one', ['a.ts', '\x01b.ts', '\nc.ts']],
      ['empty', []],
      ['last', ['d']],
    ]);
  });

  test('config: first URL of each remote, insteadOf by the longest prefix, default branch, partial clones', () => {
    const config = parseConfig(
      z(
        'core.bare\nfalse',
        'remote.origin.url\ngh:Acme/Shop',
        'remote.origin.url\nhttps://second/x',
        'remote.a.b.url\nhttps://dotted/x',
        'url.https://github.com/.insteadof\ngh:',
        'url.https://mirror/.insteadof\ng',
        'init.defaultbranch\ntrunk',
        'remote.origin.promisor\ntrue',
        'flag.without.value',
      ),
    );
    expect([...config.remotes]).toEqual([
      ['origin', 'https://github.com/Acme/Shop'],
      ['a.b', 'https://dotted/x'],
    ]);
    expect(config).toMatchObject({ defaultBranch: 'trunk', partial: true });
    expect(parseConfig(z('core.bare\nfalse'))).toEqual({ remotes: new Map(), partial: false });
  });

  test('refs and ignore rules', () => {
    expect([
      ...parseRefs(Buffer.from('refs/heads/main\0\nrefs/remotes/origin/HEAD\0refs/remotes/origin/main\n')),
    ]).toEqual([
      ['refs/heads/main', null],
      ['refs/remotes/origin/HEAD', 'refs/remotes/origin/main'],
    ]);
    expect(parseIgnored(z('.gitignore', '1', '*.log', 'a.log'))).toBe(true);
    expect(parseIgnored(z('.gitignore', '2', '!keep.log', 'keep.log'))).toBe(false);
    expect(parseIgnored(z('', '', '', 'a.ts'))).toBe(false);
  });
});

test('subjects are cut and never hold a credential; denied paths of a commit are not named', () => {
  const gate = createGate();
  const commit = { commit: OID, at: 0, subject: `fix: ${'x'.repeat(500)}` };
  expect([...commitInfo(commit, gate).subject]).toHaveLength(200);
  const leak = { ...commit, subject: `fix: token ghp_${'a1B2'.repeat(9)}` };
  expect(commitInfo(leak, gate)).toMatchObject({ subject: '(withheld)', kinds: ['fix'] });
  const noted = notedCommit(commit, ['.env', ...Array.from({ length: 60 }, (_, n) => `f${n}`)], gate);
  expect(noted.paths).toHaveLength(50);
  expect(noted.paths).not.toContain('.env');
  expect(noted.more).toBe(10);
});

test('languages by extension and name', () => {
  const of = [
    'a.ts',
    'a.d.ts',
    'a.mts',
    'A.TSX',
    'a.cjs',
    'x/Dockerfile',
    'a.py',
    'go.mod',
    'README',
    'a.unknown',
    '.ts',
  ].map((path) => languageOf(path));
  expect(of).toEqual(['ts', 'ts', 'ts', 'tsx', 'js', 'docker', 'py', 'gomod', undefined, undefined, 'ts']);
});

test('every degraded code has a sentence', () => {
  for (const code of [
    'no_git',
    'unsafe_repository',
    'timeout:git',
    'shallow',
    'file_limit',
    'bare',
    'no_clone',
    'malformed:package.json',
  ]) {
    expect(describeDegraded(code)).toMatch(/^[A-Z].*\.$/);
    expect(describeDegraded(code)).not.toContain('Something');
  }
  expect(describeDegraded('parse_error:src/a.ts')).toContain(': src/a.ts.');
  expect(describeDegraded('constructor')).toContain('Something could not be read (constructor)');
});
