import { encodePath, type Focus, type TagSlot } from '../snapshot/index.ts';
import { type Dict, dictOf } from './dict.ts';

/** What `rename_path` copies: marks under their new targets. */
export interface RenamedMarks {
  readonly tags: readonly (readonly [string, Dict<TagSlot>])[];
  readonly focus: readonly (readonly [string, Focus])[];
}

/**
 * Marks of `from`, of places in it and of what lies below it, as they are called under `to`. They are copied, not
 * moved: another workspace may still have the old path.
 */
export function renamedMarks(
  tags: readonly (readonly [string, Dict<TagSlot>])[],
  focus: readonly (readonly [string, Focus])[],
  from: string,
  to: string,
): RenamedMarks {
  const rename = renamer(encodePath(from), encodePath(to), ['#', '/']);
  return { tags: renamed(tags, rename), focus: renamed(focus, rename) };
}

/** A map by path with everything at or below `from` moved to `to`, in place of what was there. */
export function renamedPaths<T>(map: Dict<T>, from: string, to: string): Dict<T> {
  const entries = Object.entries(map);
  const rename = renamer(from, to, ['/']);
  const stay = entries.filter(([path]) => rename(path) === undefined);
  return dictOf([...stay, ...renamed(entries, rename)]);
}

function renamed<T>(
  entries: readonly (readonly [string, T])[],
  rename: (name: string) => string | undefined,
): (readonly [string, T])[] {
  return entries.flatMap(([name, value]) => {
    const other = rename(name);
    return other === undefined ? [] : [[other, value] as const];
  });
}

/** The new name of what is `from` or begins with it and one of the `joints`; undefined for anything else. */
function renamer(from: string, to: string, joints: readonly string[]): (name: string) => string | undefined {
  return (name) => {
    if (!name.startsWith(from)) return undefined;
    const rest = name.slice(from.length);
    return rest === '' || joints.includes(rest.charAt(0)) ? to + rest : undefined;
  };
}
