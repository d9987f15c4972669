import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCommandLine, CommandLine } from '../../support/command-line.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

const cli = await builtCommandLine();

/** What people mix in one repository: an API in Python, its SDK in TypeScript, a tool in Go, an old part in Java. */
function project() {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'mixed'));
  repo
    .write('.gitignore', 'out/\n')
    .write('package.json', '{"workspaces": ["sdk"], "devDependencies": {"vitest": "^5.0.0"}}')
    .write(
      'sdk/package.json',
      '{"name": "@acme/sdk", "dependencies": {"zod": "^4.1.0", "own": "git+https://me:hunter2pass@example.com/own.git"}}',
    )
    .write(
      'package-lock.json',
      '{"lockfileVersion": 3, "packages": {"": {}, "sdk": {}, "node_modules/zod": {"version": "4.1.7"}, "node_modules/vitest": {"version": "5.0.3"}}}',
    )
    .write('api/pyproject.toml', '[project]\nname = "api"\ndependencies = ["PyYAML>=6,<7", "requests"]\n')
    .write('api/uv.lock', 'version = 1\n[[package]]\nname = "pyyaml"\nversion = "6.0.2"\n')
    .write('api/app/main.py', 'import yaml\n')
    .write('sdk/src/index.ts', "import { z } from 'zod';\nexport const text = z.string();\n")
    .write('tool/go.mod', 'module example.com/tool\n\nrequire github.com/spf13/cobra v1.8.1\n')
    .write(
      'old/pom.xml',
      `<project><artifactId>old</artifactId><properties><v>2.0.13</v></properties><dependencies><dependency>
      <groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>\${v}</version></dependency></dependencies></project>`,
    )
    .write('old/sub/Cargo.toml', '[dependencies\n')
    .write('front/package.json', '{"dependencies": {"react": "catalog:"}}')
    .write('front/pnpm-workspace.yaml', 'packages:\n  - .\ncatalog:\n  react: ^19.0.0\n')
    .write(
      'front/pnpm-lock.yaml',
      "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      react:\n        specifier: 'catalog:'\n        version: 19.2.0\n",
    )
    .write('out/package.json', '{"dependencies": {"never": "1"}}')
    .commit('feat: everything');
  return { repo, pa: new CommandLine(cli, { home: join(root, 'data'), cwd: repo.root }) };
}

test('deps tells every manifest of a mixed project, and the snapshot those above the open file', async () => {
  const { repo, pa } = project();
  const found = await pa.json<readonly Record<string, unknown>[]>(['deps', '--cwd', join(repo.root, 'api')]);
  const one = (name: string, range: string, version: string | null = null) => ({ name, range, version });
  const none = { lockFile: null, degraded: null };
  expect(found).toEqual([
    {
      manifest: 'api/pyproject.toml',
      manager: 'pip',
      lockFile: 'api/uv.lock',
      dependencies: [one('PyYAML', '>=6,<7', '6.0.2'), one('requests', '')],
      degraded: null,
    },
    {
      manifest: 'front/package.json',
      manager: 'npm',
      lockFile: 'front/pnpm-lock.yaml',
      dependencies: [one('react', '^19.0.0', '19.2.0')],
      degraded: null,
    },
    { ...none, manifest: 'old/pom.xml', manager: 'maven', dependencies: [one('org.slf4j:slf4j-api', '2.0.13')] },
    {
      ...none,
      manifest: 'old/sub/Cargo.toml',
      manager: null,
      dependencies: [],
      degraded: 'malformed:old/sub/Cargo.toml',
    },
    {
      manifest: 'package.json',
      manager: 'npm',
      lockFile: 'package-lock.json',
      dependencies: [one('vitest', '^5.0.0', '5.0.3')],
      degraded: null,
    },
    {
      manifest: 'sdk/package.json',
      manager: 'npm',
      lockFile: 'package-lock.json',
      dependencies: [one('own', '(withheld)'), one('zod', '^4.1.0', '4.1.7')],
      degraded: null,
    },
    { ...none, manifest: 'tool/go.mod', manager: 'go', dependencies: [one('github.com/spf13/cobra', 'v1.8.1')] },
  ]);

  const text = await pa.text(['deps']);
  expect(text).toContain('sdk/package.json  npm, 2 dependencies, locked in package-lock.json\n');
  expect(text).toContain('  zod  4.1.7  ^4.1.0\n');
  expect(text).toContain('old/sub/Cargo.toml\n');
  expect(text).toMatch(/malformed|not what its name says/);
  expect(text).not.toContain('hunter2');

  const imports = await pa.json<{ imports: readonly unknown[] }>(['imports', 'sdk/src/index.ts']);
  expect(imports.imports).toMatchObject([
    { module: 'zod', dependency: { name: 'zod', version: '4.1.7', range: '^4.1.0', manifest: 'sdk/package.json' } },
  ]);

  repo.write('sdk/src/twice.ts', "import './index.ts';\nexport * from './index.ts';\n");
  const both = await pa.text(['imports', 'sdk/src/index.ts']);
  expect(both).toContain('imported by  1 file\n  sdk/src/twice.ts:1');
  expect(both).toContain('zod 4.1.7 (sdk/package.json)');

  repo.write('api/app/main.py', 'import yaml, requests\n');
  await pa.json(['snapshot']);
  const { dependencies } = await pa.json<{ dependencies: Record<string, unknown> }>(['show']);
  expect(dependencies).toMatchObject({
    'api/pyproject.toml': { manager: 'pip', direct: { PyYAML: '>=6,<7', requests: '' } },
    'package.json': { manager: 'npm', direct: { vitest: '^5.0.0' } },
  });
});

test('a project without manifests says so', async () => {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'bare'));
  repo.write('a.txt', 'a\n').commit('feat: a');
  const pa = new CommandLine(cli, { home: join(root, 'data'), cwd: repo.root });
  expect(await pa.json(['deps'])).toEqual([]);
  expect(await pa.text(['deps'])).toBe('No manifest that is understood is in this project.\n');
});
