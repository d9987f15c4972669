import { createHash } from 'node:crypto';
import type { Dependencies } from './types.ts';

/** More direct dependencies than this in one manifest are cut; nothing that a person keeps by hand has as many. */
const MAX_DIRECT = 400;
/** A range is a version, a tag or an address; longer ones are no use in a prompt. */
const MAX_RANGE = 100;
const FIELDS = ['optionalDependencies', 'peerDependencies', 'devDependencies', 'dependencies'] as const;

/** Manifests that are understood, by file name. */
export const MANIFESTS: ReadonlySet<string> = new Set(['package.json']);

/**
 * The direct dependencies of a `package.json`: those of all four lists, the range in `dependencies` first.
 * @param allow whether a range may leave: addresses can hold a password
 * @returns null when the text is not a manifest (malformed JSON, or no object)
 */
export function readManifest(text: string, allow: (range: string) => boolean): Dependencies | null {
  const manifest = parseObject(text);
  if (manifest === null) return null;
  const direct = new Map<string, string>();
  for (const field of FIELDS) {
    const entries = isObject(manifest[field]) ? Object.entries(manifest[field]) : [];
    for (const [name, range] of entries) {
      if (typeof range !== 'string' || !name.isWellFormed() || !range.isWellFormed()) continue;
      direct.set(name, allow(range) ? range.slice(0, MAX_RANGE).toWellFormed() : '(withheld)');
    }
  }
  const names = [...direct.keys()].sort().slice(0, MAX_DIRECT);
  return {
    manager: 'npm',
    digest: createHash('sha256').update(text, 'utf8').digest('hex'),
    direct: Object.fromEntries(names.map((name) => [name, direct.get(name) ?? ''])),
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Paths of manifests that may apply to a file, nearest first, up to the project's root. */
export function manifestsAbove(path: string): readonly string[] {
  const segments = path.split('/').slice(0, -1);
  const paths: string[] = [];
  for (let depth = segments.length; depth >= 0; depth--) {
    const folder = segments.slice(0, depth).join('/');
    for (const name of MANIFESTS) paths.push(folder === '' ? name : `${folder}/${name}`);
  }
  return paths;
}
