import { firstFolded, shortening } from './lookup.ts';
import type { Declared, Ecosystem, Locked } from './types.ts';

/** Ruby's gems. */
export const BUNDLER: Ecosystem = {
  languages: ['rb'],
  isManifest: (name) => name === 'Gemfile' || name.endsWith('.gemspec'),
  read: async (_, text) => readGemfile(text),
  locks: ['Gemfile.lock'],
  sharesLock: () => false,
  readLock: async (_, text) => readGemfileLock(text),
  named(module, names) {
    // `require 'active_record/base'` is of the gem activerecord, `net/ssh` of net-ssh.
    const candidates = shortening(module, '/', '-');
    return firstFolded(candidates, names, (name) => name.replace(/[-_]/g, '').toLowerCase());
  },
};

function readGemfile(text: string): Declared {
  const direct = new Map<string, string>();
  for (const [, name = '', rest = ''] of text.matchAll(GEM)) {
    const ranges = [...rest.matchAll(/,\s*(["'])([\s\d.<>=~!a-z-]+)\1(?!\s*=>)/gi)].map(([, , range = '']) =>
      range.trim(),
    );
    direct.set(name, ranges.filter((range) => /\d/.test(range)).join(', '));
  }
  return { manager: 'bundler', direct };
}

/** `gem 'rails', '~> 7.1', group: :test` and a gemspec's `add_dependency "rack", ">= 2"`. */
const GEM =
  /^[^\S\n]*(?:gem|\w+\.add(?:_runtime|_development)?_dependency)[\s(]+["']([\w.-]+)["']((?:[^#\n]|,[^\S\n]*\n)*)/gm;

function readGemfileLock(text: string): Locked {
  const versions = new Map<string, string>();
  for (const [, name = '', version = ''] of text.matchAll(/^ {4}([\w.-]+) \(([^)\s]+)\)/gm))
    versions.set(name, version);
  return (_, name) => versions.get(name);
}
