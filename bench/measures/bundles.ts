import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../lib/core.ts';
import { megabytes, type Row } from '../lib/report.ts';

/** Ceilings of the first issue: the main bundle and the whole package, in bytes. */
const MAIN_LIMIT = 400_000;
const PACKAGE_LIMIT = 6_000_000;

/** Sizes of what is shipped, against their ceilings. */
export function bundleRows(): Row[] {
  const rows: Row[] = readdirSync(DIST)
    .filter((name) => name.endsWith('.js'))
    .map((name) => {
      const bytes = statSync(join(DIST, name)).size;
      const limited = name === 'extension.js';
      return {
        what: `bundle ${name}`,
        figure: megabytes(bytes),
        baseline: limited ? `ceiling: ${megabytes(MAIN_LIMIT)}` : '',
        ratio: limited ? `${(bytes / MAIN_LIMIT).toFixed(2)} ×` : '',
      };
    });
  const root = join(DIST, '..');
  for (const name of readdirSync(root).filter((file) => file.endsWith('.vsix'))) {
    const bytes = statSync(join(root, name)).size;
    rows.push({
      what: name,
      figure: megabytes(bytes),
      baseline: `ceiling: ${megabytes(PACKAGE_LIMIT)}`,
      ratio: `${(bytes / PACKAGE_LIMIT).toFixed(2)} ×`,
    });
  }
  return rows;
}
