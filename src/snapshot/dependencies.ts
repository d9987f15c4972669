import { createHash } from 'node:crypto';
import type { Declared } from './ecosystems/index.ts';
import type { Dependencies } from './types.ts';

/** More direct dependencies than this in one manifest are cut; nothing that a person keeps by hand has as many. */
const MAX_DIRECT = 400;
/** A range is a version, a tag or an address; longer ones are no use in a prompt. */
const MAX_RANGE = 100;
const WITHHELD = '(withheld)';

/** Whether a text may leave. */
export type Allow = (text: string) => boolean;

/**
 * What a manifest declares, in the form that snapshots keep: in order of names, and bounded.
 * @param text the manifest as it is, for the digest
 * @param allow addresses can hold a password
 */
export function dependenciesOf({ manager, direct }: Declared, text: string, allow: Allow): Dependencies {
  const names = [...direct.keys()].filter((name) => name !== '' && name.isWellFormed() && allow(name));
  return {
    manager,
    digest: createHash('sha256').update(text, 'utf8').digest('hex'),
    direct: Object.fromEntries(
      names
        .sort()
        .slice(0, MAX_DIRECT)
        .map((name) => [name, shown(direct.get(name) ?? '', allow)]),
    ),
  };
}

/** A range or version as it may leave, on one line. */
export function shown(range: string, allow: Allow): string {
  if (!allow(range)) return WITHHELD;
  return range.toWellFormed().replace(/\s+/g, ' ').slice(0, MAX_RANGE).toWellFormed();
}
