import { globTest } from './glob.ts';
import { isWithin, nameOf } from './resolve/paths.ts';

/** What `.gitattributes` files say of where a file comes from; absent where they say nothing. */
export interface OriginAttributes {
  readonly generated?: boolean;
  readonly vendored?: boolean;
}

/** The attributes of a project's files. */
export interface Attributes {
  of(path: string): OriginAttributes;
}

/** A line that says something of origin. */
interface Rule {
  /** Folder of the file that it stands in. */
  readonly folder: string;
  /** Tests a path from that folder. */
  readonly fits: (path: string) => boolean;
  /** Undefined takes back what is said before. */
  readonly sets: readonly (readonly [keyof OriginAttributes, boolean | undefined])[];
}

const NAMES: Readonly<Record<string, keyof OriginAttributes>> = {
  'linguist-generated': 'generated',
  'linguist-vendored': 'vendored',
};
/** More than this are not kept by hand. */
const MAX_RULES = 2_000;
const MAX_PATTERN = 300;

/** Whether a file is one that `readAttributes` reads. */
export function isAttributesFile(path: string): boolean {
  return path === '.gitattributes' || path.endsWith('/.gitattributes');
}

/**
 * Reads the `.gitattributes` files of a project, as far as they say `linguist-generated` or `linguist-vendored`. As in git,
 * a later line counts more than an earlier one, and a file in a deeper folder more than one above.
 * @param files paths in the project with their texts
 */
export function readAttributes(files: Iterable<readonly [path: string, text: string]>): Attributes {
  const sorted = [...files].sort(([a], [b]) => a.split('/').length - b.split('/').length);
  const macros = new Map<string, Rule['sets']>();
  const rules = sorted
    .flatMap(([path, text]) => rulesOf(path.slice(0, Math.max(0, path.lastIndexOf('/'))), text, macros))
    .slice(0, MAX_RULES);
  return {
    of(path) {
      const found: { generated?: boolean; vendored?: boolean } = {};
      for (const { folder, fits, sets } of rules) {
        if (!isWithin(path, folder) || !fits(folder === '' ? path : path.slice(folder.length + 1))) continue;
        for (const [name, value] of sets) {
          if (value === undefined) delete found[name];
          else found[name] = value;
        }
      }
      return found;
    },
  };
}

function rulesOf(folder: string, text: string, macros: Map<string, Rule['sets']>): readonly Rule[] {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, written = '', rest = ''] = /^\s*("(?:[^"\\]|\\.)*"|[^\s#"]\S*)\s+(.*)$/.exec(line) ?? [];
    if (written === '') continue;
    const sets = rest.split(/\s+/).flatMap((word) => setting(word, macros));
    if (sets.length === 0) continue;
    const macro = /^\[attr\](\S+)$/.exec(written)?.[1];
    if (macro !== undefined) macros.set(macro, sets);
    else rules.push({ folder, fits: patternOf(written), sets });
  }
  return rules;
}

/** `name`, `-name`, `!name`, `name=true`, or a macro that stands for such. */
function setting(word: string, macros: ReadonlyMap<string, Rule['sets']>): Rule['sets'] {
  const [, sign = '', name = '', value] = /^([-!]?)([\w.-]+)(?:=(.*))?$/.exec(word) ?? [];
  const attribute = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (attribute === undefined) return sign === '' ? (macros.get(name) ?? []) : [];
  if (sign === '!') return [[attribute, undefined]];
  return [[attribute, sign === '' && value !== 'false']];
}

/** A pattern without a slash is about names in any folder. */
function patternOf(written: string): Rule['fits'] {
  const glob = written.startsWith('"') ? written.slice(1, -1).replace(/\\(.)/g, '$1') : written;
  if (glob.length > MAX_PATTERN) return () => false;
  const anchored = glob.replace(/\/$/, '').includes('/');
  const test = globTest(glob.replace(/^\//, ''));
  return anchored ? test : (path) => test(nameOf(path));
}
