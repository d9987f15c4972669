import type { Command } from 'commander';
import { describeDegraded, type FileImports, type ImportFact } from '../../snapshot/index.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { pathInProject } from './targets.ts';
import { plural, table, visible } from './text.ts';

/** Sooner nobody asks what takes so long, in ms. */
const PATIENCE_MS = 1_000;

/** `imports`: what a file imports, and who imports it. */
export function addImportsCommand(program: Command, host: CommandHost): void {
  run<CommonOptions, [string]>(
    host,
    program
      .command('imports')
      .description('what a file imports, and which files of the project import it')
      .argument('<file>'),
    async (call, file) => {
      const { toplevel } = await call.runtime.identity();
      const path = pathInProject({ toplevel, cwd: call.runtime.cwd }, file);
      const found = await withProgress(call, toplevel, path);
      if (call.output.json) return call.output.document(found);
      await print(call, found);
    },
  );
}

/** The first time in a project the whole tree is read; what of it is done stays done when somebody interrupts that. */
async function withProgress(call: Call<CommonOptions>, toplevel: string, path: string): Promise<FileImports> {
  const snapshots = await call.runtime.snapshots();
  const { clock } = call.io;
  const timer = clock.timeout(PATIENCE_MS, () => {
    call.note('Reading the imports of the whole project; the next time most of them are known.');
  });
  const stop = () => {
    snapshots.index(toplevel, 'cancel').catch(() => undefined);
  };
  call.stopping.addEventListener('abort', stop);
  try {
    return await snapshots.imports(toplevel, path, true);
  } finally {
    timer.dispose();
    call.stopping.removeEventListener('abort', stop);
  }
}

async function print({ output }: Call<CommonOptions>, found: FileImports): Promise<void> {
  const { path, imports, importedBy, more, index, degraded } = found;
  await output.line(`${output.style.bold(visible(path))}  imports`);
  await output.lines(
    imports.length === 0 ? [isUnread(found) ? '  not known' : '  nothing'] : table(imports.map(rowOf), '  '),
  );
  await output.line(`${output.style.bold('imported by')}  ${countOf(found)}`);
  const importers = importedBy.map((each) => [`${visible(each.path)}:${each.line}`, namesOf(each.names)]);
  await output.lines(table(importers, '  '));
  if (more !== undefined) await output.line(`  and ${more} more`);
  if (!index.complete) {
    const rest = `${index.indexed} of ${index.files} files are read so far`;
    await output.line(output.style.warn(`${rest}, so there may be more: run it again.`));
  }
  await output.lines(degraded.map((code) => output.style.warn(visible(describeDegraded(code)))));
}

function isUnread({ path, degraded }: FileImports): boolean {
  return degraded.some((code) => code.endsWith(`:${path}`));
}

/** How many files import it: one that does so on several lines is one file. */
function countOf({ importedBy, more }: FileImports): string {
  const count = plural(new Set(importedBy.map(({ path }) => path)).size, 'file');
  return more === undefined ? count : `at least ${count}`;
}

function rowOf({ module, names, line, path, dependency }: ImportFact): string[] {
  const where =
    path !== undefined
      ? visible(path)
      : dependency !== undefined
        ? visible(
            [dependency.name, dependency.version, `(${dependency.manifest})`].filter((part) => part !== '').join(' '),
          )
        : 'not of this project';
  return [String(line).padStart(5), visible(module), where, namesOf(names)];
}

function namesOf(names: readonly string[]): string {
  return names.map((name) => (name === '*' ? 'everything' : visible(name))).join(', ');
}
