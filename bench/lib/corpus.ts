import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A public package that ships its TypeScript: about 178,000 lines in 1,500 files. Pinned; nothing of it is in this repository. */
const PACKAGE = { name: 'viem', version: '2.57.20' } as const;

function cacheFolder(): string {
  return process.env['PROJECT_ANCHOR_TEST_CACHE'] ?? join(homedir(), '.cache', 'project-anchor-test');
}

/** Downloads the package once, without running anything of it, and returns its folder in the cache. */
function fetchPackage(): string {
  const home = join(cacheFolder(), `corpus-${PACKAGE.name}-${PACKAGE.version}`);
  const inside = join(home, 'node_modules', PACKAGE.name);
  if (existsSync(inside)) return inside;
  mkdirSync(cacheFolder(), { recursive: true });
  const staging = mkdtempSync(join(cacheFolder(), 'corpus-'));
  writeFileSync(join(staging, 'package.json'), '{"private":true}');
  const flags = ['--ignore-scripts', '--omit=peer', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', `${PACKAGE.name}@${PACKAGE.version}`, ...flags], { cwd: staging, stdio: 'inherit' });
  rmSync(home, { recursive: true, force: true });
  renameSync(staging, home);
  return inside;
}

export interface Corpus {
  readonly root: string;
  readonly name: string;
  readonly files: number;
  readonly lines: number;
  git(...args: string[]): string;
  dispose(): void;
}

/** The package's TypeScript committed into a fresh repository in a temporary folder. */
export function makeCorpus(): Corpus {
  const source = fetchPackage();
  const root = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  const files = typescriptOf(source);
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(source, path), join(root, path));
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  git('init', '--quiet', '--initial-branch=main');
  git('remote', 'add', 'origin', 'https://example.invalid/bench/corpus.git');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'feat: the corpus');
  return {
    root,
    name: `${PACKAGE.name}@${PACKAGE.version}`,
    files: files.length,
    lines: files.reduce((sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length, 0),
    git,
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Its TypeScript sources and manifest; the compiled output beside them is not what people edit. */
function typescriptOf(folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--others', '-z'], { cwd: initialised(folder), encoding: 'utf8' });
  return listed
    .split('\0')
    .filter((path) => path === 'package.json' || (/\.(ts|tsx|mts)$/.test(path) && !/\.d\.m?ts$/.test(path)))
    .filter((path) => !path.startsWith('_'))
    .sort();
}

/** Lets git do the walking: a repository without commits lists every file as untracked. */
function initialised(folder: string): string {
  if (!existsSync(join(folder, '.git'))) execFileSync('git', ['init', '--quiet'], { cwd: folder });
  return folder;
}
