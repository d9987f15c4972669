import { longestPrefix } from './lookup.ts';
import type { Declared, Ecosystem } from './types.ts';

/** Go's modules. A go.mod names exact versions, so there is nothing to look up in go.sum. */
export const GO: Ecosystem = {
  languages: ['go'],
  isManifest: (name) => name === 'go.mod',
  read: async (_, text) => readGoMod(text),
  locks: [],
  sharesLock: () => false,
  readLock: async () => null,
  named: (module, names) => longestPrefix(module, names, '/'),
};

function readGoMod(text: string): Declared | null {
  const direct = new Map<string, string>();
  const replaced = new Map<string, string>();
  let block = '';
  let named = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [code = '', comment = ''] = line.split('//', 2);
    const words = code.trim().replaceAll('"', '').split(/\s+/);
    if (words[0] === ')') block = '';
    else if (words[1] === '(') block = words[0] ?? '';
    else if (words[0] !== '') {
      const [verb = '', ...rest] = block === '' ? words : [block, ...words];
      named ||= verb === 'module';
      // Only needed by what is needed.
      if (verb === 'require' && !/^\s*indirect\b/.test(comment)) direct.set(rest[0] ?? '', rest[1] ?? '');
      if (verb === 'replace') replaced.set(rest[0] ?? '', rest.slice(rest.indexOf('=>')).join(' '));
    }
  }
  for (const [name, instead] of replaced) {
    const version = direct.get(name);
    if (version !== undefined) direct.set(name, `${version} ${instead}`);
  }
  return named || direct.size > 0 ? { manager: 'go', direct } : null;
}
