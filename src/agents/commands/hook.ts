import type { Command } from 'commander';
import { findHooks, type HooksPlace } from '../../snapshot/index.ts';
import { lastFailure } from '../hooks/failures.ts';
import { type HookStatus, hookStatuses, installHooks, type Launch, removeHooks } from '../hooks/files.ts';
import { recordNode } from '../hooks/node-path.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { table, visible, when } from './text.ts';

/** `hook`: snapshots from git's own hooks, with no editor running. */
export function addHookCommand(program: Command, host: CommandHost): void {
  const hook = program
    .command('hook')
    .description('snapshots after commits, checkouts, merges and rebases by git hooks');
  run(
    host,
    hook.command('install').description('install the hooks; existing ones are kept and still run'),
    async (call) => {
      const { place, launch } = await placeOf(call);
      installHooks(place.folder, launch);
      recordNode(launch.data, call.io.execPath);
      if (launch.launcher === null) {
        call.note('note: the launcher was not found beside this program; the hooks use the project-anchor on the PATH');
      }
      for (const note of reach(place)) call.note(`note: ${note}`);
      const hooks = hookStatuses(place.folder, launch);
      await print(call, place, launch, hooks);
      return complaints(call, hooks);
    },
  );
  run(host, hook.command('remove').description('remove the hooks and put back what was there before'), async (call) => {
    const { place, launch } = await placeOf(call);
    removeHooks(place.folder);
    const hooks = hookStatuses(place.folder, launch);
    await print(call, place, launch, hooks);
    return complaints(call, hooks);
  });
  run(host, hook.command('status').description('which hooks are installed, and what went wrong last'), async (call) => {
    const { place, launch } = await placeOf(call);
    for (const note of reach(place)) call.note(`note: ${note}`);
    await print(call, place, launch, hookStatuses(place.folder, launch));
  });
}

async function placeOf({ io, runtime }: Call<CommonOptions>): Promise<{ place: HooksPlace; launch: Launch }> {
  const place = await findHooks(runtime.cwd, { env: io.env, clock: io.clock, logger: runtime.logger });
  return { place, launch: { launcher: io.launcher, data: runtime.dataFolder } };
}

/** For whom else the hooks run, where that is not just the repository. */
function reach({ folder, configured, inside, tracked }: HooksPlace): string[] {
  if (configured === null) return [];
  const { scope, value } = configured;
  const set = `core.hooksPath is ${visible(value)}`;
  if (scope === 'global' || scope === 'system') {
    const whose = scope === 'global' ? 'all your repositories' : 'all repositories of this machine';
    return [`${set} for ${whose}: snapshots are taken of every one that uses the hooks in ${visible(folder)}`];
  }
  if (tracked) {
    return [`${set}, where git tracks files: keep the hooks of this machine, with their paths, out of your commits`];
  }
  if (inside) return [`${set}, inside the working tree: the hooks serve this working tree only`];
  return [`${set}: the hooks serve every repository that uses this folder`];
}

async function print(
  { io, output }: Call<CommonOptions>,
  { folder, toplevel, configured }: HooksPlace,
  { launcher, data }: Launch,
  hooks: readonly HookStatus[],
): Promise<void> {
  const installed = hooks.every(({ state }) => state === 'installed');
  const failure = lastFailure(data, toplevel);
  if (output.json) {
    return output.document({
      installed,
      path: folder,
      hooksPath: configured,
      launcher,
      hooks: Object.fromEntries(hooks.map(({ name, ...status }) => [name, status])),
      ...(failure === null ? {} : { lastFailure: failure }),
    });
  }
  await output.line(`${installed ? output.style.good('installed') : 'not installed'} in ${visible(folder)}`);
  await output.lines(
    table(
      hooks.map(({ name, state, ...before }) => [name, state, keptWords(before)]),
      '  ',
    ),
  );
  if (failure !== null) {
    await output.line(`last failure: ${when(failure.at, io.clock.now())}: ${visible(failure.message)}`);
  }
}

function keptWords({ kept, runs }: Pick<HookStatus, 'kept' | 'runs'>): string {
  if (kept === undefined) return '';
  return `${runs === true ? 'then' : 'not executable, so git never ran it:'} ${visible(kept)}`;
}

/** Exit code 1 when a hook was left alone, with what to do. */
function complaints(call: Call<CommonOptions>, hooks: readonly HookStatus[]): number {
  let code = 0;
  for (const { name, state, kept } of hooks) {
    const before = kept === undefined ? '' : ` The hook from before is kept as ${visible(kept)}.`;
    if (state === 'changed') {
      call.note(
        `${name} was edited after its installation and is left as it is: remove it by hand, then try again.${before}`,
      );
      code = 1;
    } else if (state === 'foreign' && kept !== undefined) {
      call.note(`${name} was replaced after its installation and is left as it is.${before}`);
      code = 1;
    }
  }
  return code;
}
