import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleGit } from 'simple-git';

/**
 * What a program does that knows none of our short cuts (B1): one call of simple-git per fact, as its manual shows them,
 * and every file that git lists read and hashed. Nothing is made slower than it has to be.
 */
export async function straightforwardSnapshot(root: string): Promise<string> {
  const git = simpleGit(root);
  const branch = await git.revparse(['--abbrev-ref', 'HEAD']);
  const commit = await git.revparse(['HEAD']);
  const status = await git.status();
  const log = await git.log({ maxCount: 10 });
  const remotes = await git.getRemotes(true);
  const submodules = await git.raw(['submodule', 'status']);
  const paths = (await git.raw(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])).split('\0');
  const files = await Promise.all(
    paths.filter(Boolean).map(async (path) => {
      const bytes = await readFile(join(root, path));
      return { path, size: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
  return JSON.stringify({ branch, commit, status, log, remotes, submodules, files });
}
