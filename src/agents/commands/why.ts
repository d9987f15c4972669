import type { Command } from 'commander';
import { ProjectAnchorError } from '../../base/index.ts';
import {
  describeBounded,
  focusFor,
  formatTarget,
  parseTarget,
  type SnapshotService,
  type Target,
  type Why,
  type WhyCommit,
} from '../../snapshot/index.ts';
import { enclosingSymbol } from '../marks.ts';
import type { ProjectSession } from '../session-types.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { inForce, type ListedTag } from './marks.ts';
import { type Place, targetFrom } from './targets.ts';
import { ago, plural, short, table, visible } from './text.ts';

/** What `why` is asked about. */
interface Asked {
  readonly path: string;
  /** As it was typed; null for the file as a whole. */
  readonly symbol: string | null;
}

/** `why`: the commits that made a file, a function or a few lines what they are. */
export function addWhyCommand(program: Command, host: CommandHost): void {
  run<object, [string]>(
    host,
    program
      .command('why')
      .description('the commits that made or changed a file or a symbol, with their messages')
      .argument('<file#symbol>', 'a file, or a file with #Name, #sym:Name.member or #L10-L20 behind it'),
    async (call, typed) => {
      const session = await call.runtime.session();
      const { toplevel } = session.identity;
      const snapshots = await call.runtime.snapshots();
      const asked = await askedFor({ toplevel, cwd: call.runtime.cwd }, typed, snapshots);
      const why = await snapshots.why(toplevel, asked.path, asked.symbol);
      const together = why.symbol === null ? await snapshots.together(toplevel, asked.path) : [];
      const marks = marksOn(call, session, { path: asked.path, symbol: why.symbol });
      if (call.output.json) {
        const tags = marks.tags.map(({ tag: { key, value, source, target } }) => ({ key, value, source, target }));
        const others = why.symbol === null ? { together } : {};
        return call.output.document({ ...why, ...others, tags, focus: marks.focus });
      }
      await print(call, why, marks);
      const others = together.map(({ path, commits, of }) => `${visible(path)} (${commits} of ${of})`);
      if (others.length > 0) await call.output.line(`changes together with: ${others.join(', ')}`);
    },
  );
}

async function askedFor(place: Place, typed: string, snapshots: SnapshotService): Promise<Asked> {
  const target = targetOf(place, typed);
  if (target.kind === 'project' || target.kind === 'directory') {
    throw new ProjectAnchorError('usage', 'A folder has no single history.', 'Name a file, or a file with #Name.');
  }
  if (target.kind === 'file') return { path: target.path, symbol: null };
  if (target.kind === 'symbol') return { path: target.path, symbol: target.symbol };
  const { path, start, end } = target;
  const outline = await snapshots.outline(place.toplevel, path);
  if (end > outline.lines) {
    throw new ProjectAnchorError('usage', `${path} has ${plural(outline.lines, 'line')}.`, 'Name lines that it has.');
  }
  const symbol = enclosingSymbol(outline.items, start, end);
  if (symbol !== undefined) return { path, symbol };
  throw new ProjectAnchorError(
    'no_symbol',
    `Nothing in ${path} encloses the lines ${start} to ${end}.`,
    'Name fewer lines, or the file alone.',
  );
}

/** The forms of every target, and `FILE#Name` as people write it. */
function targetOf(place: Place, typed: string): Target {
  const named = targetFrom(place, typed);
  const target = parseTarget(named.target);
  if (named.exists || target.kind !== 'file') return target;
  for (let at = typed.indexOf('#'); at > 0; at = typed.indexOf('#', at + 1)) {
    const file = targetFrom(place, typed.slice(0, at));
    const parsed = parseTarget(file.target);
    const symbol = typed.slice(at + 1);
    if (file.exists && parsed.kind === 'file' && symbol !== '') return { kind: 'symbol', path: parsed.path, symbol };
  }
  if (!typed.includes('#')) return target;
  const file = typed.slice(0, typed.indexOf('#'));
  throw new ProjectAnchorError(
    'missing',
    `There is no file ${visible(file)}.`,
    'Give the path of a file in this project.',
  );
}

interface MarksOn {
  readonly tags: readonly ListedTag[];
  /** Targets around it that are marked. */
  readonly focus: readonly string[];
}

function marksOn(call: Call<CommonOptions>, session: ProjectSession, { path, symbol }: Asked): MarksOn {
  const target = formatTarget(symbol === null ? { kind: 'file', path } : { kind: 'symbol', path, symbol });
  const { tags = {}, focus = {} } = session.state;
  const around = focusFor({ tags, focus }, path, call.io.clock.now(), call.runtime.settings['tags.halfLifeDays'])
    .map((each) => each.target)
    // Of what lies inside of the file only what was asked about.
    .filter((each) => !each.includes('#') || each === target);
  return { tags: inForce(session, target, call), focus: around };
}

async function print({ io, output }: Call<CommonOptions>, why: Why, marks: MarksOn): Promise<void> {
  const { style } = output;
  const name = why.symbol === null ? why.path : `${why.path}#${why.symbol}`;
  await output.line(style.bold(visible(name)));
  if (why.commits.length === 0) await output.line('  no commit has it: it is new since the last one');
  const rows = table(
    why.commits.map((commit) => rowOf(commit, io.clock.now())),
    '  ',
  );
  for (const [at, commit] of why.commits.entries()) {
    await output.line(rows[at]);
    const body = commit.body?.split('\n') ?? [];
    await output.lines(body.map((line) => (line === '' ? '' : style.dim(`      ${visible(line)}`))));
  }
  if (why.more !== undefined) await output.line(`  and ${plural(why.more, 'older commit')}`);
  if (why.bounded !== undefined) await output.line(style.warn(describeBounded(why.bounded)));
  const tags = marks.tags.map(({ tag }) => `${visible(tag.key)}: ${visible(tag.value)} (${tag.source})`);
  if (marks.focus.length > 0) await output.line(`marked as context focus: ${marks.focus.map(visible).join(', ')}`);
  if (tags.length > 0) await output.line(`tags: ${tags.join(', ')}`);
}

function rowOf(commit: WhyCommit, now: number): readonly string[] {
  const when = `${commit.at.slice(0, 10)} (${ago(now - Date.parse(commit.at))})`;
  const details = [
    ...(commit.was === undefined ? [] : [`was ${commit.was}`]),
    ...(commit.members === undefined ? [] : [`in ${commit.members.join(', ')}`]),
    ...(commit.path === undefined ? [] : [`file was ${commit.path}`]),
  ];
  const more = details.length === 0 ? '' : `  [${details.join('; ')}]`;
  return [short(commit.commit), when, commit.change, visible(`${commit.subject}${more}`)];
}
