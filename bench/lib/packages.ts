import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A public package that ships its TypeScript, by its exact version: `viem@2.57.20`. Nothing of it is in this repository. */
export type Package = `${string}@${number}.${number}.${number}` | `@${string}/${string}@${number}.${number}.${number}`;

/** Of several tens of thousand lines each; together with `viem` they pass a million. */
export const LARGE_SET: readonly Package[] = [
  'effect@4.1.0',
  'viem@2.57.20',
  'ox@1.8.3',
  'zod@4.6.7',
  'rxjs@7.8.2',
  'ethers@6.17.0',
  '@theia/core@1.75.0',
  '@theia/plugin-ext@1.75.0',
  '@theia/monaco@1.75.0',
  '@theia/debug@1.75.0',
  '@theia/filesystem@1.75.0',
];

/** Where downloads are kept, outside of the checkout. */
function cacheFolder(): string {
  return process.env['PROJECT_ANCHOR_TEST_CACHE'] ?? join(homedir(), '.cache', 'project-anchor-test');
}

function folderOf(spec: Package): string {
  return join(cacheFolder(), `package-${spec.replaceAll('/', '+')}`);
}

/** Downloads the packages that are not here yet, without running anything of them, and returns their folders. */
export function fetchPackages(specs: readonly Package[]): readonly string[] {
  const missing = specs.filter((spec) => !existsSync(folderOf(spec)));
  if (missing.length > 0) download(missing);
  return specs.map(folderOf);
}

function download(specs: readonly Package[]): void {
  mkdirSync(cacheFolder(), { recursive: true });
  const staging = mkdtempSync(join(cacheFolder(), 'download-'));
  try {
    for (const spec of specs) {
      const folder = mkdtempSync(join(staging, 'package-'));
      execFileSync('npm', ['pack', spec, '--loglevel=error'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
      const [archive = ''] = readdirSync(folder);
      execFileSync('tar', ['-xzf', archive, '--strip-components=1'], { cwd: folder });
      rmSync(join(folder, archive));
      renameSync(folder, folderOf(spec));
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
