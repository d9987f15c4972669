/**
 * Installs a PowerContext Server into the test cache, in a virtual environment of its own, every version pinned.
 * Prints one line. Exit code 0 ready, 3 something is missing, 1 anything else; `--json` prints the paths for programs.
 */
import './lib/require-node.mjs';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable, installOnce, MissingPiece, run, runStep, setUpScript } from './lib/test-cache.mjs';

const REQUIREMENTS = join(import.meta.dirname, '..', 'test', 'support', 'powercontext', 'requirements.txt');
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
/** What the server needs of Python: 3.11, SQLite 3.35, and the parts of the library that Debian packages separately. */
const PROBE = `
import ensurepip, sqlite3, sys, venv
assert sys.version_info >= (3, 11) and sqlite3.sqlite_version_info >= (3, 35)
print(f"{sys.version_info.major}.{sys.version_info.minor}")
`;

/** @returns {Promise<{ python: string, version: string }>} */
async function findPython() {
  const named = process.env['PROJECT_ANCHOR_PYTHON'];
  for (const candidate of named ? [named] : PYTHONS) {
    const python = await findExecutable([candidate]);
    if (python === undefined) continue;
    const { code, output } = await run(python, ['-c', PROBE]);
    if (code === 0) return { python, version: output.trim() };
  }
  throw new MissingPiece(
    named
      ? `PROJECT_ANCHOR_PYTHON names ${named}, which is not a Python 3.11 or newer with venv and SQLite 3.35`
      : 'no Python 3.11 or newer with venv and SQLite 3.35: install one, or name one in PROJECT_ANCHOR_PYTHON',
  );
}

await setUpScript('PowerContext Server', async () => {
  const { python, version } = await findPython();
  const requirements = await readFile(REQUIREMENTS, 'utf8');
  const server = /^powercontext==(\S+)$/m.exec(requirements)?.[1];
  const key = createHash('sha256').update(requirements).digest('hex').slice(0, 8);

  const folder = await installOnce(`powercontext-${server}-python${version}-${key}`, async (target) => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '' };
    await runStep('making a virtual environment', python, ['-m', 'venv', target]);
    const venvPython = join(target, 'bin', 'python');
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'];
    await runStep('installing setuptools', venvPython, [...pip, '--constraint', REQUIREMENTS, 'setuptools'], { env });
    // Wheels only, so that no compiler is asked for; what the server imports is compiled by the check below.
    const wheels = ['--only-binary=:all:', '--no-binary=jieba', '--no-build-isolation', '--no-compile'];
    const packages = [...pip, ...wheels, '--requirement', REQUIREMENTS];
    await runStep('installing PowerContext', venvPython, packages, { env });
    await runStep('loading PowerContext', venvPython, ['-c', 'import powercontext.server.cli'], { env });
  });
  return { folder, command: join(folder, 'bin', 'powercontext') };
});
