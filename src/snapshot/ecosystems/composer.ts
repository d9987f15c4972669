import { isTable, parseJson, type Table, tableAt, textAt } from './text.ts';
import type { Declared, Ecosystem, Locked } from './types.ts';

/** PHP's packages. `php` itself and its extensions count: their versions say what code may use. */
export const COMPOSER: Ecosystem = {
  languages: ['php'],
  isManifest: (name) => name === 'composer.json',
  read: async (_, text) => readComposer(text),
  locks: ['composer.lock'],
  sharesLock: () => false,
  readLock: async (_, text) => readComposerLock(text),
  named: packageOf,
};

function readComposer(text: string): Declared | null {
  const manifest = parseJson(text);
  if (manifest === null) return null;
  const direct = new Map<string, string>();
  for (const field of ['require-dev', 'require']) {
    for (const [name, range] of Object.entries(tableAt(manifest, field)))
      if (typeof range === 'string') direct.set(name, range);
  }
  return { manager: 'composer', direct };
}

function readComposerLock(text: string): Locked | null {
  const lock = parseJson(text);
  if (lock === null) return null;
  const versions = new Map<string, string>();
  const packages = ['packages-dev', 'packages'].flatMap((field) => (Array.isArray(lock[field]) ? lock[field] : []));
  for (const entry of packages.filter((each): each is Table => isTable(each))) {
    versions.set(textAt(entry, 'name') ?? '', textAt(entry, 'version') ?? '');
  }
  return (_, name) => versions.get(name);
}

/** `Symfony\Component\Console` is `symfony/console`: the vendor, and a word of the package in the rest. */
function packageOf(module: string, names: readonly string[]): string | undefined {
  const [vendor = '', ...rest] = module.toLowerCase().split('\\');
  const candidates = names.filter((name) => fold(name.split('/')[0] ?? '') === vendor);
  const words = (name: string) => (name.split('/')[1] ?? '').split(/[-_.]/);
  const scored = candidates
    .map((name) => ({
      name,
      score: words(name).filter((word) => [vendor, ...rest].some((part) => part.includes(word))).length,
    }))
    .sort((a, b) => b.score - a.score || a.name.length - b.name.length);
  const [best] = scored;
  return best !== undefined && (best.score > 0 || candidates.length === 1) ? best.name : undefined;
}

function fold(name: string): string {
  return name.replace(/[-_]/g, '');
}
