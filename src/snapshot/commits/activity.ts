import type { CommitWithFiles } from '../git-port.ts';
import { PresentNames } from './present-names.ts';

const DAY_MS = 86_400_000;
/** What counts as a year without a change or a commit. */
export const STALE_MS = 365 * DAY_MS;
/** Churn is counted over this long. */
export const CHURN_MS = 90 * DAY_MS;
/** Fewer commits in that time are ordinary work. */
const MIN_CHURN = 10;
/** Share of the files changed in that time that churn the most. */
const TOP_SHARE = 0.05;
/** A commit of more files is a mass edit, and no work on any of them. */
const MAX_FILES = 200;

/** What the last year's commits say of the files that are there now. */
export interface Activity {
  /** Files that any of them touched. */
  readonly touched: ReadonlySet<string>;
  /** Commits of the last 90 days by file. */
  readonly churn: ReadonlyMap<string, number>;
}

/**
 * @param commits of the last year, newest first
 * @param now wall time in ms
 */
export function activityOf(commits: readonly CommitWithFiles[], now: number): Activity {
  const names = new PresentNames();
  const touched = new Set<string>();
  const churn = new Map<string, number>();
  for (const { at, files } of commits) {
    const present = names.past({
      changed: files.filter(({ after }) => after !== null).map(({ path }) => path),
      deleted: files.filter(({ after }) => after === null).map(({ path }) => path),
      renamed: files.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path] as const])),
    });
    for (const path of present) {
      touched.add(path);
      if (now - at <= CHURN_MS && files.length <= MAX_FILES) churn.set(path, (churn.get(path) ?? 0) + 1);
    }
  }
  return { touched, churn };
}

/**
 * Files that change often, the most often first: at least 10 commits in 90 days, and among the 5 % of the files changed in
 * that time that have the most.
 * @param counts whether a file is there, and work of people; lock files and generated ones change by themselves
 */
export function churning({ churn }: Pick<Activity, 'churn'>, counts: (path: string) => boolean): readonly string[] {
  const files = [...churn].filter(([path]) => counts(path)).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const last = files[Math.ceil(files.length * TOP_SHARE) - 1]?.[1] ?? 0;
  return files.filter(([, commits]) => commits >= Math.max(MIN_CHURN, last)).map(([path]) => path);
}
