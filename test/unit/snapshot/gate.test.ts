import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGate, credentialIn, type Gate, loadGate } from '../../../src/snapshot/index.ts';
import { tempDir } from '../../support/temp.ts';

function code(verdict: ReturnType<Gate['path']>): string {
  return verdict.ok ? 'ok' : verdict.code;
}

/** Characters of a secret, drawn by the property so that no example is in this file. */
function secret(alphabet: string, length: number) {
  return fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((all) => all.join(''));
}
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE32 = `${UPPER}234567`;
const ALNUM = `${UPPER}abcdefghijklmnopqrstuvwxyz0123456789`;
const URLSAFE = `${ALNUM}_-`;

const CREDENTIALS: Record<string, fc.Arbitrary<string>> = {
  'private key': fc
    .constantFrom('RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', 'DSA ', '')
    .map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----\nMIIE`),
  'PGP key': fc.constant('-----BEGIN PGP PRIVATE KEY BLOCK-----'),
  AWS: fc.tuple(fc.constantFrom('AKIA', 'ASIA'), secret(BASE32, 16)).map((parts) => parts.join('')),
  'AWS secret': secret(`${ALNUM}/+`, 40).map((key) => `aws_secret_access_key = ${key}`),
  Google: secret(URLSAFE, 35).map((key) => `AIza${key}`),
  'Azure storage': secret(`${ALNUM}+/`, 86).map((key) => `AccountKey=${key}==`),
  'Azure signature': secret(ALNUM, 43).map((key) => `https://x.example/y?sv=1&sig=${key}%3D`),
  GitHub: fc
    .tuple(fc.constantFrom('ghp', 'gho', 'ghu', 'ghs', 'ghr'), secret(ALNUM, 36))
    .map((parts) => parts.join('_')),
  'GitHub fine-grained': secret(`${ALNUM}_`, 82).map((key) => `github_pat_${key}`),
  GitLab: secret(URLSAFE, 20).map((key) => `glpat-${key}`),
  npm: secret(ALNUM, 36).map((key) => `npm_${key}`),
  'npm registry': secret(ALNUM, 36).map((key) => `//registry.example/:_authToken=${key}`),
  Slack: fc
    .tuple(fc.constantFrom('xoxb', 'xoxp', 'xoxa'), secret('0123456789', 12), secret(ALNUM, 24))
    .map((p) => p.join('-')),
  'Slack webhook': secret(ALNUM, 24).map((key) => `https://hooks.slack.com/services/T00000000/B00000000/${key}`),
  JWT: fc
    .tuple(secret(URLSAFE, 20), secret(URLSAFE, 40), secret(URLSAFE, 43))
    .map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  'model key': secret(ALNUM, 40).map((key) => `sk-api-${key}`),
  'password in a URL': secret(ALNUM, 12).map((key) => `postgres://admin:${key}@db.example:5432/x`),
  'password assigned': secret(ALNUM, 10).map((key) => `password = "${key}a1"`),
  'secret in JSON': secret(ALNUM, 20).map((key) => `{"clientSecret": "${key}b2"}`),
  'secret in an environment file': secret(ALNUM, 20).map((key) => `export API_TOKEN=${key}c3`),
  口令: secret(ALNUM, 12).map((key) => `密码："${key}d4"`),
};

/** What stands around it; a letter or digit right beside would make it another word. */
const around = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replace(/[\w.~%$<>{}"'`-]/g, ' '));

describe('credentials', () => {
  test.each(Object.entries(CREDENTIALS))('%s are found wherever they stand', (_, credentials) => {
    fc.assert(
      fc.property(credentials, around, around, (credential, before, after) => {
        expect(createGate().text(`${before}\n${credential}\n${after}`)).toMatchObject({
          ok: false,
          code: 'credential',
        });
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    'const password = await prompt("Password:");',
    "type: 'password', name: 'password'",
    'password: string;',
    'const token = process.env.API_TOKEN;',
    'API_TOKEN=$' + '{API_TOKEN}',
    'password: "' + '$' + '{secret}"',
    'secretKey: config.secretKey,',
    'const passwordField = "passwordInput";',
    'export function tokenize(source: string): Token[] {',
    'https://example.com:8080/path@2x',
    'postgres://user:$' + '{password}@localhost/db',
    '.sk-circle-fade-dot-animation-delay { color: red }',
    'git@github.com:owner/repo.git',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '高优先级：修复登录的密码输入框',
    '',
  ])('%j is ordinary text', (text) => {
    expect(credentialIn(text)).toBeNull();
  });

  test('long text costs little', () => {
    const texts = [
      'a'.repeat(300_000),
      'eyJ'.repeat(100_000),

      'password'.repeat(40_000),
      'aws '.repeat(75_000),
      '://a:'.repeat(60_000),
    ];
    for (const text of texts) expect(createGate().text(text).ok).toBe(true);
  });
});

describe('paths', () => {
  test.each([
    '.env',
    '.env.local',
    'deep/.ENV.production',
    'a/server.pem',
    'id_rsa',
    'keys/id_ed25519.pub',
    'tls/site.key',
    '.npmrc',
    'x/.netrc',
    'x/_netrc',
    '.git/config',
    'sub/.git/HEAD',
    'node_modules/a/index.js',
    'a/node_modules/b.js',
    'a/__pycache__/b.pyc',
    'credentials',
    '.aws/credentials',
    'config/credentials.json',
    'service-account.prod.json',
    'app-secrets.yml',
    '.git-credentials',
    'dist/a.js',
    'packages/x/dist/a.js',
    'build/a.js',
    'coverage/index.html',
    'terraform.tfstate',
  ])('%s never leaves', (path) => {
    expect(createGate().path(path)).toMatchObject({ ok: false, code: 'denied_path' });
  });

  test.each([
    'src/a.ts',
    'src/',
    'src/build/a.ts',
    'lib/target/x.rs',
    'environment.ts',
    'keys.ts',
    'src/credentials.ts',
    '.gitignore',
    'gitx/a',
    'a b/é.ts',
  ])('%s may', (path) => {
    expect(createGate().path(path)).toEqual({ ok: true });
  });

  test.each(['', '/etc/passwd', '../x', 'a/../b', 'a//b', 'a/./b', 'a\0b', './a'])(
    '%j is no path of a project',
    (path) => {
      expect(code(createGate().path(path))).toBe('invalid_path');
    },
  );

  test('settings and .projectanchorignore add to the list', () => {
    const gate = createGate({ exclude: ['generated/**', '*.snap'], ignore: '# ours\n/private/\n*.sql\n!keep.sql\n' });
    const verdicts = ['generated/a.ts', 'x/y.snap', 'private/a', 'x/private/a', 'a.sql', 'keep.sql', 'src/a.ts'].map(
      (path) => code(gate.path(path)),
    );
    expect(verdicts).toEqual(['excluded', 'excluded', 'excluded', 'ok', 'excluded', 'ok', 'ok']);
  });

  test('build output can be taken back, secrets cannot', () => {
    const gate = createGate({ ignore: '!dist/\n!/build/\n!.env\n!node_modules/\n' });
    expect(['dist/a.js', 'build/a.ts', '.env', 'node_modules/a'].map((path) => code(gate.path(path)))).toEqual([
      'ok',
      'ok',
      'denied_path',
      'denied_path',
    ]);
  });

  test('no denied name comes through, however deep and in whatever case', () => {
    const folder = fc.constantFrom('.git', 'node_modules', '__pycache__', '.ssh');
    const file = fc.constantFrom('.env', '.env.test', 'a.pem', 'id_dsa', 'b.key', '.npmrc', '.netrc');
    const part = fc.constantFrom('src', 'a b', 'é', 'x.y');
    const cased = (name: string) => fc.boolean().map((upper) => (upper ? name.toUpperCase() : name));
    const path = fc.oneof(
      fc
        .tuple(fc.array(part), folder.chain(cased), fc.array(part, { minLength: 1 }))
        .map(([a, b, c]) => [...a, b, ...c].join('/')),
      fc.tuple(fc.array(part), file.chain(cased)).map(([a, b]) => [...a, b].join('/')),
    );
    const rules = fc.array(fc.constantFrom('!**', '!*', '*.ts', '!.env', '!node_modules/', '!.git/'), { maxLength: 4 });
    fc.assert(
      fc.property(path, rules, (each, ignore) => {
        expect(createGate({ ignore: ignore.join('\n') }).path(each).ok).toBe(false);
      }),
    );
  });
});

describe('files', () => {
  const gate = createGate();

  test('1 MiB is the limit', () => {
    expect(gate.file('a.ts', 1024 * 1024, null)).toEqual({ ok: true });
    expect(gate.file('a.ts', 1024 * 1024 + 1, null)).toMatchObject({
      ok: false,
      code: 'too_large',
      reason: expect.stringContaining('1.0 MiB'),
    });
  });

  test('long lines are minified', () => {
    const lines = 'const a = 1;\n'.repeat(2000);
    expect(gate.file('a.ts', 1, `${lines}${'x'.repeat(10_000)}\n`)).toEqual({ ok: true });
    expect(gate.file('a.ts', 1, `${lines}${'x'.repeat(10_001)}\n`)).toMatchObject({ code: 'minified' });
    expect(gate.file('a.ts', 1, `${'x'.repeat(390)}\n`.repeat(20))).toEqual({ ok: true });
    expect(gate.file('a.ts', 1, `${'x'.repeat(410)}\n`.repeat(20))).toMatchObject({ code: 'minified' });
    expect(gate.file('a.ts', 0, '')).toEqual({ ok: true });
  });

  test('a denied path is refused before anything else', () => {
    expect(gate.file('.env', 5e9, 'x')).toMatchObject({ code: 'denied_path' });
  });
});

describe('fails closed', () => {
  test('what is not of the right kind is refused', () => {
    const gate = createGate() as unknown as Record<string, (...args: unknown[]) => { ok: boolean }>;
    for (const value of [undefined, null, 5, {}, [], Symbol('x')]) {
      expect(gate['path']?.(value).ok).toBe(false);
      expect(gate['text']?.(value).ok).toBe(false);
      expect(gate['file']?.('a.ts', 1, value).ok).toBe(value === null);
      expect(gate['file']?.('a.ts', value, null).ok).toBe(value === 5);
    }
    expect(createGate().file('a.ts', Number.NaN, null)).toMatchObject({ code: 'gate_error' });
  });

  test('a rule that is not text is said', () => {
    expect(() => createGate({ exclude: [5 as unknown as string] })).toThrow('projectAnchor.snapshot.exclude');
  });

  test('files are judged by their folder exactly as on their own', () => {
    const part = fc.constantFrom(
      'src',
      'a.ts',
      'dist',
      '.env',
      'Node_Modules',
      '.git',
      '..',
      '.',
      '',
      'key.pem',
      'out',
      'é',
      // Names that are build output only in some ways of comparing letters.
      'Coverage',
      'DIST',
      'di\u017ft',
      'D\u0130ST',
      'tar\u212aet',
      'dist ',
      ' dist',
      'dist.',
      'dist\\',
    );
    const paths = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    // A rule that says nothing makes every file be judged on its own.
    const alone = createGate({ ignore: '# nothing\n' });
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 20 }), (asked) => {
        const gate = createGate();
        expect(asked.map((path) => gate.path(path))).toEqual(asked.map((path) => alone.path(path)));
      }),
      { numRuns: 300 },
    );
  });

  test('rules that cannot be read refuse everything', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, '.projectanchorignore'));
    const gate = await loadGate(folder, []);
    expect(gate.path('src/a.ts')).toMatchObject({
      ok: false,
      code: 'gate_error',
      reason: expect.stringContaining('.projectanchorignore cannot be read'),
    });
  });

  test('rules are read from the file, and no file is no rules', async () => {
    const folder = tempDir();
    expect((await loadGate(folder, [])).path('a.sql').ok).toBe(true);
    writeFileSync(join(folder, '.projectanchorignore'), '*.sql\r\n');
    chmodSync(join(folder, '.projectanchorignore'), 0o600);
    expect(code((await loadGate(folder, ['*.ts'])).path('a.sql'))).toBe('excluded');
    writeFileSync(join(folder, '.projectanchorignore'), 'x'.repeat(300_000));
    expect((await loadGate(folder, [])).path('a.ts')).toMatchObject({
      code: 'gate_error',
      reason: expect.stringContaining('larger than'),
    });
  });
});
