import { describeDegraded, type Snapshot } from '../../snapshot/index.ts';
import { bytes, plural, short, shortened, visible } from './text.ts';

/** What a snapshot says, as rows of label and value. */
export function summary({ git, files, outlines, dependencies, marks, degraded }: Snapshot): string[][] {
  const { head, lastCommit, upstream } = git;
  const branch = head.branch === undefined ? head.kind : visible(head.branch);
  const commit = head.commit === undefined ? '' : ` @ ${short(head.commit)}`;
  const behind =
    upstream === undefined
      ? ''
      : `, ${upstream.ahead} ahead of and ${upstream.behind} behind ${visible(upstream.name)}`;
  const changes = [
    [git.staged.length + (git.stagedMore ?? 0), 'staged'],
    [git.unstaged.length + (git.unstagedMore ?? 0), 'unstaged'],
    [git.untracked.length + (git.untrackedMore ?? 0), 'untracked'],
    [git.conflicted.length + (git.conflictedMore ?? 0), 'conflicted'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const languages = Object.entries(files.byLanguage)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([language, count]) => `${language} ${count}`);
  const marked = Object.keys(marks.focus).length;
  const rows = [
    ['git', head.kind === 'none' ? 'not a repository' : `${branch}${commit}${behind}`],
    ['changes', changes.length === 0 ? 'none' : changes.join(', ')],
    [
      'files',
      `${plural(files.count, 'file')}, ${bytes(files.bytes)}${languages.length === 0 ? '' : ` (${languages.join(', ')})`}`,
    ],
    ['outlines', named(Object.keys(outlines), 'file')],
    ['dependencies', dependencyWords(dependencies)],
    ['marks', marked === 0 ? 'none' : plural(marked, 'focus', 'focuses')],
  ];
  if (lastCommit !== undefined) {
    rows.splice(1, 0, ['commit', shortened(visible(lastCommit.subject), 80)]);
  }
  for (const code of degraded.slice(0, NAMED)) rows.push(['note', visible(describeDegraded(code))]);
  if (degraded.length > NAMED) rows.push(['note', `${degraded.length - NAMED} more like these, with --json`]);
  return rows;
}

/** How many names that are listed one by one. */
const NAMED = 3;

function named(names: readonly string[], what: string): string {
  if (names.length === 0) return 'none';
  const first = names.slice(0, NAMED).map(visible).join(', ');
  return names.length <= NAMED ? first : `${first} and ${plural(names.length - NAMED, `more ${what}`)}`;
}

function dependencyWords(dependencies: Snapshot['dependencies']): string {
  const used = Object.entries(dependencies).filter(([, { direct }]) => Object.keys(direct).length > 0);
  return named(
    used.map(([manifest, { direct }]) => `${manifest} (${Object.keys(direct).length})`),
    'manifest',
  );
}
