import type { Command } from 'commander';
import type { Outline } from '../../snapshot/index.ts';
import { type CommandHost, run } from './command.ts';
import type { Output } from './output.ts';
import { addSnapshotCommand } from './snapshot.ts';
import { summary } from './snapshot-text.ts';
import { pathInProject } from './targets.ts';
import { bytes, plural, table, visible, when } from './text.ts';

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

  addSnapshotCommand(program, host);

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
    async ({ runtime, output, note }, file) => {
      const { toplevel } = await runtime.identity();
      const path = pathInProject({ toplevel, cwd: runtime.cwd }, file);
      const snapshots = await runtime.snapshots();
      const outline = await snapshots.outline(toplevel, path);
      const origin = await snapshots.origin(toplevel, path);
      // Beside the document, whose shape is the protocol's.
      if (origin !== null) note(`${origin.kind}: ${visible(origin.why)}`);
      if (output.json) return output.document(outline);
      await printOutline(output, path, outline);
    },
  );
}

async function printOutline(output: Output, path: string, outline: Outline): Promise<void> {
  const stale = outline.stale === true ? output.style.warn(', as far as it goes: the text does not parse') : '';
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
