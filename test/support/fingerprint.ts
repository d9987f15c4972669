import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every entry below a folder with its kind, mode, size, times and content: equal ones were not written to in between. */
export function fingerprint(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(folder, entry);
      const facts = lstatSync(path, { bigint: true });
      const content = facts.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : facts.isSymbolicLink()
          ? readlinkSync(path)
          : '';
      return [entry, `${facts.mode} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs} ${content}`];
    }),
  );
}
