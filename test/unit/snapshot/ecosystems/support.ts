import { ecosystemOf } from '../../../../src/snapshot/ecosystems/index.ts';
import { folderOf, nameOf } from '../../../../src/snapshot/resolve/paths.ts';

/** One manifest, and what is to be read of it. */
export interface ManifestCase {
  readonly what: string;
  /** Path → text; the first one is the manifest. */
  readonly files: Readonly<Record<string, string>>;
  readonly manager: string;
  readonly direct: Readonly<Record<string, string>>;
  /** Name → version in the lock file among the files. */
  readonly locked?: Readonly<Record<string, string>>;
  /** Module in an import → name of the dependency. */
  readonly named?: Readonly<Record<string, string | null>>;
}

/** What the product reads of a case, in the form of the case. */
export async function readCase({ files, locked, named }: ManifestCase) {
  const [[path, text] = ['', '']] = Object.entries(files);
  const ecosystem = ecosystemOf(nameOf(path));
  const related = async (other: string) => (Object.hasOwn(files, other) ? (files[other] ?? null) : null);
  const declared = await ecosystem?.read(path, text, related);
  if (ecosystem === undefined || declared == null) return null;
  const { manager, direct } = declared;
  return {
    manager,
    direct: Object.fromEntries([...direct].sort()),
    ...(locked === undefined ? {} : { locked: await readLocks(files, path, direct) }),
    ...(named === undefined
      ? {}
      : {
          named: Object.fromEntries(
            Object.keys(named).map((module) => [module, ecosystem.named(module, [...direct.keys()]) ?? null]),
          ),
        }),
  };
}

async function readLocks(files: ManifestCase['files'], path: string, direct: ReadonlyMap<string, string>) {
  const ecosystem = ecosystemOf(nameOf(path));
  const place = Object.keys(files).find((each) => ecosystem?.locks.includes(nameOf(each)));
  const locked = place === undefined ? null : await ecosystem?.readLock(nameOf(place), files[place] ?? '');
  if (locked == null) return null;
  const home = folderOf(place ?? '');
  const folder = home === '' ? folderOf(path) : folderOf(path).slice(home.length + 1);
  const entries = [...direct].map(([name, range]) => [name, locked(folder, name, range)] as const);
  return Object.fromEntries(entries.filter(([, version]) => version !== undefined));
}
