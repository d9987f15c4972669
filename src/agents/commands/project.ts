import { type Command, Option } from 'commander';
import { compact, describeDegraded, type Outline, type Snapshot, type Trigger } from '../../snapshot/index.ts';
import { type CommandHost, run } from './command.ts';
import type { Output } from './output.ts';
import { pathInProject } from './targets.ts';
import { bytes, plural, short, shortened, table, visible, when } from './text.ts';

/** `anchor`, `snapshot`, `show`, `files` and `outline`: what is true of the project here. */
export function addProjectCommands(program: Command, host: CommandHost): void {
  run(
    host,
    program.command('anchor').description('the identity of the project here'),
    async ({ io, runtime, output }) => {
      const { anchor, aliases, workspace, toplevel } = await runtime.identity();
      if (output.json) return output.document({ ...anchor, aliases, workspace, toplevel });
      await output.lines(
        table([
          ['anchor', output.style.bold(visible(anchor.id))],
          ['repository', visible(anchor.repository)],
          ['main branch', visible(anchor.mainBranch)],
          ['attached', when(anchor.attachedAt, io.clock.now())],
          ...aliases.map((alias) => ['also', visible(alias)]),
          ['workspace', workspace],
          ['root', visible(toplevel)],
        ]),
      );
    },
  );

  const trigger = new Option('--trigger <name>', 'what made it').choices(['hook', 'agent', 'manual']).default('manual');
  run<{ trigger: Trigger }, []>(
    host,
    program.command('snapshot').description('take a snapshot, store it and append what changed').addOption(trigger),
    async ({ runtime, output, options }) => {
      const session = await runtime.session();
      // Only an editor knows which file a person is in: what it said last stays.
      const active = session.state.workspaces?.[session.identity.workspace]?.active ?? null;
      const { taken, ack } = await session.take(options.trigger, { active, open: [] });
      const { snapshot, stored, ms } = taken;
      const seq = ack?.seq ?? session.head.seq;
      if (output.json) return output.document({ ...compact(snapshot), stored, seq, ms: Math.round(ms) });
      const news = ack === null ? 'nothing new for the log' : `delta #${ack.seq}`;
      await output.line(
        `${stored ? output.style.good('stored') : 'unchanged since'} ${short(snapshot.id)} in ${Math.round(ms)} ms, ${news}`,
      );
      await output.lines(table(summary(snapshot), '  '));
    },
  );

  run<object, [string | undefined]>(
    host,
    program
      .command('show')
      .description('one stored snapshot in full')
      .argument('[ref]', 'latest, latest~N, a snapshot id or a git revision', 'latest'),
    async ({ io, runtime, output }, ref = 'latest') => {
      const { toplevel } = await runtime.identity();
      const snapshot = await (await runtime.snapshots()).show(toplevel, ref);
      if (output.json) return output.document(snapshot);
      await output.lines(
        table([
          ['snapshot', output.style.bold(snapshot.id)],
          ['taken', `${when(snapshot.takenAt, io.clock.now())}, ${snapshot.trigger}`],
          ...summary(snapshot),
        ]),
      );
      for (const [path, outline] of Object.entries(snapshot.outlines)) await printOutline(output, path, outline);
    },
  );

  run<object, [string | undefined]>(
    host,
    program.command('files').description('the file table of a snapshot').argument('[ref]', 'as for show', 'latest'),
    async ({ runtime, output }, ref = 'latest') => {
      const { toplevel } = await runtime.identity();
      const rows = await (await runtime.snapshots()).files(toplevel, ref);
      if (output.json) {
        return output.stream(
          rows.map(({ path, size, mtime, language }) => JSON.stringify({ path, size, mtime, language })),
        );
      }
      await output.stream(
        table(rows.map(({ path, size, language }) => [bytes(size).padStart(8), language ?? '-', visible(path)])),
      );
    },
  );

  run<object, [string]>(
    host,
    program.command('outline').description('the outline of a file as it is on disk').argument('<file>'),
    async ({ runtime, output }, file) => {
      const { toplevel } = await runtime.identity();
      const path = pathInProject({ toplevel, cwd: runtime.cwd }, file);
      const outline = await (await runtime.snapshots()).outline(toplevel, path);
      if (output.json) return output.document(outline);
      await printOutline(output, path, outline);
    },
  );
}

async function printOutline(output: Output, path: string, outline: Outline): Promise<void> {
  const stale = outline.stale === true ? output.style.warn(', last good outline: the text does not parse') : '';
  await output.line(
    `${output.style.bold(visible(path))}  ${outline.language}, ${plural(outline.lines, 'line')}${stale}`,
  );
  const rows = outline.items.map((item) => {
    const depth = item.of === undefined ? 0 : item.of.split('.').length;
    const what = item.signature ?? `${item.kind} ${item.name}`;
    return [`${item.start}-${item.end}`.padStart(9), `${'  '.repeat(depth)}${visible(what)}`];
  });
  await output.lines(table(rows, '  '));
  if (outline.more !== undefined) await output.line(`  and ${outline.more} more`);
}

/** What a snapshot says, as rows of label and value. */
function summary({ git, files, outlines, dependencies, marks, degraded }: Snapshot): string[][] {
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
