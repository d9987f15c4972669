import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { codeOf, ProjectAnchorError } from '../../base/index.ts';
import type { Delta, LogService, VerifyReport } from '../../delta/index.ts';
import { type CommandHost, run } from './command.ts';
import { deltaRow } from './describe.ts';
import type { Output } from './output.ts';
import { plural, short, table, visible } from './text.ts';

/** Most deltas the log gives in one answer. */
const PAGE = 500;

/** `state`, `log`, `verify`, `export` and `import`: what the log of the project says. */
export function addLogCommands(program: Command, host: CommandHost): void {
  run(host, program.command('state').description('the state that the log makes'), async ({ runtime, output }) => {
    const { anchor } = await runtime.identity();
    const { seq, hash, stateHash, pending, state } = await (await runtime.log()).state(anchor.id);
    if (output.json) return output.document({ seq, hash, stateHash, pending, state });
    const { tags = {}, focus = {}, workspaces = {} } = state;
    await output.lines(
      table([
        ['head', `#${seq} ${short(hash)}`],
        ['state', output.style.bold(stateHash)],
        ['pending', String(pending)],
        [
          'marks',
          `${plural(Object.keys(focus).length, 'focus', 'focuses')}, tags on ${plural(Object.keys(tags).length, 'target')}`,
        ],
        ...Object.entries(workspaces).map(([id, { git, active, commits = [] }]) => [
          'workspace',
          `${short(id)}  ${visible(git?.head.branch ?? git?.head.kind ?? '-')}, ${active === undefined || active === null ? 'no file open' : `in ${visible(active)}`}, ${plural(commits.length, 'commit')} noted`,
        ]),
      ]),
    );
  });

  run<{ after: number }, []>(
    host,
    program
      .command('log')
      .description('the deltas, oldest first')
      .option('--after <seq>', 'only those after this seq', wholeNumber, 0),
    async ({ runtime, output, options, stopping }) => {
      const { anchor } = await runtime.identity();
      const pages = deltaPages(await runtime.log(), anchor.id, options.after, stopping);
      if (output.json) return output.stream(jsonLines(pages));
      for await (const page of pages) await output.lines(table(page.map(deltaRow)));
    },
  );

  run(
    host,
    program.command('verify').description('check every hash, link and receipt'),
    async ({ runtime, output }) => {
      const { anchor } = await runtime.identity();
      const report = await (await runtime.log()).verify(anchor.id);
      if (output.json) await output.document(report);
      else await printReport(output, report);
      return report.ok ? 0 : 1;
    },
  );

  run<{ force?: boolean }, [string | undefined]>(
    host,
    program
      .command('export')
      .description('the log with its snapshots and receipts, as JSON lines')
      .argument('[file]', 'where to; without it, or with "-", the standard output')
      .option('--force', 'replace the file if it exists'),
    async ({ runtime, output, options, note }, file) => {
      const { anchor } = await runtime.identity();
      const log = await runtime.log();
      const toFile = file !== undefined && file !== '-';
      if (!toFile) return output.stream(log.exportLines(anchor.id));
      const path = resolve(runtime.cwd, file);
      const lines = await writeNewFile(path, log.exportLines(anchor.id), options.force === true);
      if (output.json) return output.document({ file: path, lines });
      note(`${plural(lines, 'line')} written to ${path}`);
    },
  );

  run<object, [string]>(
    host,
    program
      .command('import')
      .description('take over an exported log')
      .argument('<file>', 'a file, or "-" for the standard input'),
    async ({ io, runtime, output, stopping, note }, file) => {
      const input = file === '-' ? io.stdin : await openToRead(resolve(runtime.cwd, file));
      const log = await runtime.log();
      const { anchor, seq, hash, added } = await log.importLines(linesOf(input, stopping));
      if (!(await runtime.adopt(anchor))) note('note: this folder is another project; its own log stays as it is');
      if (output.json) return output.document({ anchor, seq, hash, added });
      await output.line(`${plural(added, 'delta')} added to ${visible(anchor)}, head #${seq} ${short(hash)}`);
    },
  );
}

/** Reads a whole number from 0 up, as commander's argument parsers do. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number.');
  return value;
}

async function* deltaPages(log: LogService, anchor: string, after: number, stopping: AbortSignal) {
  let seen = after;
  while (!stopping.aborted) {
    const page: readonly Delta[] = await log.deltas(anchor, seen, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    seen = last.seq;
  }
}

async function* jsonLines(pages: AsyncIterable<readonly Delta[]>) {
  for await (const page of pages) for (const delta of page) yield JSON.stringify(delta);
}

async function printReport(output: Output, report: VerifyReport): Promise<void> {
  const { style } = output;
  const counted = `${plural(report.deltas, 'delta')} after #${report.base}, ${plural(report.receipts, 'receipt')}, head #${report.head.seq} ${short(report.head.hash)}`;
  if (report.ok) return output.line(`${style.good('ok')}  ${counted}`);
  await output.line(`${style.bad('not ok')}  ${counted}`);
  if (report.firstBad !== undefined) await output.line(`first bad seq: #${report.firstBad}`);
  if (report.reason !== undefined) await output.line(visible(report.reason));
  if (report.need !== undefined)
    await output.line(`only a ${report.need} could tell whether the end of the log is missing`);
}

/** Writes lines to a file that appears when it is whole. Returns how many. */
async function writeNewFile(path: string, lines: AsyncIterable<string>, replace: boolean): Promise<number> {
  if (!replace && existsSync(path)) {
    throw new ProjectAnchorError(
      'exists',
      `${path} is already there.`,
      'Choose another file, or replace it with --force.',
    );
  }
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  let count = 0;
  try {
    const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
      throw fileError(error, path, 'written');
    });
    try {
      for await (const line of lines) {
        await handle.write(line.endsWith('\n') ? line : `${line}\n`);
        count++;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return count;
}

async function openToRead(path: string): Promise<Readable> {
  try {
    const handle = await open(path, 'r');
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw new ProjectAnchorError('not_a_file', `${path} is a folder.`, 'Give a file that export wrote.');
    }
    return handle.createReadStream();
  } catch (error) {
    throw fileError(error, path, 'read');
  }
}

function fileError(error: unknown, path: string, what: 'read' | 'written'): unknown {
  switch (codeOf(error)) {
    case 'ENOENT':
      return new ProjectAnchorError(
        'not_found',
        `${path} cannot be ${what}: there is no such file or folder.`,
        'Check the path.',
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ProjectAnchorError(
        'forbidden',
        `${path} cannot be ${what}: permission denied.`,
        'Choose another file.',
      );
    case 'EISDIR':
      return new ProjectAnchorError('not_a_file', `${path} is a folder.`, 'Give a file.');
    default:
      return error;
  }
}

/** Ends early when the command is asked to end: an import that is not whole changes nothing. */
async function* linesOf(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  for await (const line of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield line;
  }
}
