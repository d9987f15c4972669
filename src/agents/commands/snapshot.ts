import { type Command, InvalidArgumentError, Option } from 'commander';
import { messageOf, timestamp } from '../../base/index.ts';
import { thisProcess } from '../../delta/index.ts';
import { type CommitPair, compact, type EditorView, type Snapshot, type Trigger } from '../../snapshot/index.ts';
import { noteFailure } from '../hooks/failures.ts';
import { rebaseProgress, takeTurn } from '../hooks/turn.ts';
import type { ProjectSession } from '../session-types.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { parseRewritten, textOf } from './rewritten.ts';
import { summary } from './snapshot-text.ts';
import { short, table } from './text.ts';

interface SnapshotOptions extends CommonOptions {
  readonly trigger: Trigger;
  readonly rewritten?: string;
  readonly turn?: string;
}

/** `snapshot`: takes one now, or sees to what the hooks have written down. */
export function addSnapshotCommand(program: Command, host: CommandHost): void {
  run<SnapshotOptions, []>(
    host,
    program
      .command('snapshot')
      .description('take a snapshot, store it and append what changed')
      .addOption(new Option('--trigger <name>', 'what made it').choices(['hook', 'agent', 'manual']).default('manual'))
      .option(
        '--rewritten <->',
        'read "old new" commit pairs from standard input, as git gives them to post-rewrite',
        stdin,
      )
      .addOption(new Option('--turn <path>', 'for the hooks: what they have written down').hideHelp()),
    async (call) => {
      const { turn, rewritten, trigger } = call.options;
      if (turn !== undefined) return hooksTurn(call, turn);
      const pairs = rewritten === undefined ? undefined : parseRewritten(await textOf(call.io.stdin));
      await takeAndTell(call, trigger, pairs);
    },
  );
}

function stdin(text: string): string {
  if (text === '-') return text;
  throw new InvalidArgumentError('Give "-": the pairs are read from standard input.');
}

async function takeAndTell(call: Call<CommonOptions>, trigger: Trigger, pairs?: readonly CommitPair[]): Promise<void> {
  const { runtime, output } = call;
  const session = await runtime.session();
  const { taken, ack } = await session.take(trigger, lastView(session), pairs);
  const { snapshot, stored, ms } = taken;
  const seq = ack?.seq ?? session.head.seq;
  if (output.json) return output.document({ ...compact(snapshot), stored, seq, ms: Math.round(ms) });
  const news = ack === null ? 'nothing new for the log' : `delta #${ack.seq}`;
  await output.line(
    `${stored ? output.style.good('stored') : 'unchanged since'} ${short(snapshot.id)} in ${Math.round(ms)} ms, ${news}`,
  );
  await output.lines(table(summary(snapshot), '  '));
}

/** What the hooks of a working tree wait for, in a process of its own that nobody listens to. */
async function hooksTurn({ io, runtime, stopping }: Call<CommonOptions>, turn: string): Promise<void> {
  const rebase = async () => {
    const { gitDir } = await runtime.identity();
    return gitDir === null ? null : rebaseProgress(gitDir);
  };
  try {
    await takeTurn(turn, { clock: io.clock, self: thisProcess(), rebase }, async (said) => {
      const session = await runtime.session();
      await session.take('hook', lastView(session), parseRewritten(said));
    });
    await runtime.thinDaily();
    await runtime.noteAutoTags(stopping);
  } catch (error) {
    // The hooks start this in the root of the working tree.
    noteFailure(runtime.dataFolder, runtime.cwd, { at: timestamp(io.clock.now()), message: messageOf(error) });
    throw error;
  }
}

/**
 * What the editor said last: only an editor knows which files a person has open. Of the outlines of its last snapshot
 * those of files that had changes are left out, because those changes alone may have been the reason.
 */
function lastView(session: ProjectSession): EditorView {
  const last = session.latest?.snapshot;
  const active = session.state.workspaces?.[session.identity.workspace]?.active ?? null;
  return { active, open: last === undefined ? [] : openIn(last) };
}

function openIn({ outlines, git }: Snapshot): readonly string[] {
  const touched = new Set([...git.staged, ...git.unstaged, ...git.untracked, ...git.conflicted]);
  return Object.keys(outlines).filter((path) => !touched.has(path));
}
