import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { generatedFiles } from './generated.ts';
import { fetchPackages, LARGE_SET, type Package } from './packages.ts';

/** A fresh repository in a temporary folder with one commit, and what is in it. */
export interface Corpus {
  readonly name: string;
  readonly root: string;
  /** Its TypeScript, in byte order. */
  readonly sources: readonly string[];
  readonly files: number;
  readonly lines: number;
  git(...args: string[]): string;
  dispose(): void;
}

/** 178,000 lines in 1,494 files. */
const MEDIUM: readonly Package[] = ['viem@2.57.20'];

const GENERATED_FILES = 100_000;

/** A public code base of 120,000 to 180,000 lines. */
export const mediumCorpus = (): Corpus => packagesCorpus(MEDIUM);

/** Public code bases of over 1,000,000 lines, side by side in one repository. */
export const largeCorpus = (): Corpus => packagesCorpus(LARGE_SET);

/** A generated code base of 100,000 files. */
export function manyFilesCorpus(): Corpus {
  return makeCorpus(`generated, ${GENERATED_FILES} files`, (add) => {
    for (const { path, text } of generatedFiles(GENERATED_FILES)) add(path, text);
  });
}

function packagesCorpus(specs: readonly Package[]): Corpus {
  const folders = fetchPackages(specs);
  const name = specs.length === 1 ? `${specs[0]}` : `${specs.length} packages`;
  return makeCorpus(name, (add) => {
    for (const [index, folder] of folders.entries()) {
      // One package is the repository itself; several are a monorepo.
      const prefix = specs.length === 1 ? '' : `packages/${basename(specs[index] ?? '').replace(/@[^@]*$/, '')}/`;
      for (const path of typescriptOf(folder)) add(prefix + path, join(folder, path), 'copy');
    }
  });
}

/** Its TypeScript sources and manifest; the compiled output beside them is not what people edit. */
function typescriptOf(folder: string): readonly string[] {
  return globSync('**/*.{ts,tsx,mts}', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/\.d\.m?ts$|(?:^|\/)node_modules\//.test(path) && !path.startsWith('_'))
    .concat('package.json')
    .sort();
}

type Add = (path: string, from: string, how?: 'copy') => void;

function makeCorpus(name: string, fill: (add: Add) => void): Corpus {
  const root = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  const folders = new Set<string>();
  let files = 0;
  let lines = 0;
  fill((path, from, how) => {
    const target = join(root, path);
    const folder = dirname(target);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    if (how === 'copy') copyFileSync(from, target);
    else writeFileSync(target, from);
    files++;
    lines += linesOf(how === 'copy' ? readFileSync(from) : Buffer.from(from));
  });
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  const git = gitIn(root);
  git('init', '--quiet', '--initial-branch=main');
  git('remote', 'add', 'origin', 'https://example.invalid/bench/corpus.git');
  // Nothing tidies up in the background while something is timed.
  git('config', 'gc.auto', '0');
  git('config', 'maintenance.auto', 'false');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'feat: the corpus');
  git('status');
  return {
    name,
    root,
    sources: git('ls-files', '-z', '*.ts').split('\0').filter(Boolean),
    files,
    lines,
    git,
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

function gitIn(root: string): Corpus['git'] {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid'];
  return (...args) =>
    execFileSync('git', [...identity, ...args], { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Line ends, and one more for a last line without. */
function linesOf(bytes: Buffer): number {
  let lines = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
