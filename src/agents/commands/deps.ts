import type { Command } from 'commander';
import { describeDegraded, type ManifestFacts } from '../../snapshot/index.ts';
import { type CommandHost, run } from './command.ts';
import { plural, table, visible } from './text.ts';

/** One manifest as `deps --json` writes it, in a list of them. */
interface ManifestDocument {
  /** Path in the project. */
  readonly manifest: string;
  /** `npm`, `poetry`, `maven`, ...; null when the manifest cannot be read. */
  readonly manager: string | null;
  /** Path of the lock file that counts, or null. */
  readonly lockFile: string | null;
  readonly dependencies: readonly {
    readonly name: string;
    /** As written; empty where none is. */
    readonly range: string;
    /** The locked version, or null where none is known. */
    readonly version: string | null;
  }[];
  /** Degraded code of the manifest or its lock file, or null. */
  readonly degraded: string | null;
}

/** `deps`: every manifest of the project with its dependencies. */
export function addDepsCommand(program: Command, host: CommandHost): void {
  run(
    host,
    program.command('deps').description('what the manifests of the project declare, with locked versions'),
    async ({ runtime, output }) => {
      const { toplevel } = await runtime.identity();
      const found = await (await runtime.snapshots()).dependencies(toplevel);
      const manifests = found.map(documentOf);
      if (output.json) return output.document(manifests);
      if (manifests.length === 0) await output.line('No manifest that is understood is in this project.');
      for (const each of manifests) {
        const { manifest, manager, lockFile, dependencies, degraded } = each;
        const lock = lockFile === null ? '' : `, locked in ${visible(lockFile)}`;
        const count = plural(dependencies.length, 'dependency', 'dependencies');
        const facts = manager === null ? '' : `  ${visible(manager)}, ${count}${lock}`;
        await output.line(`${output.style.bold(visible(manifest))}${facts}`);
        const rows = dependencies.map(({ name, range, version }) => [name, version ?? '-', range].map(visible));
        await output.lines(table(rows, '  '));
        if (degraded !== null) await output.line(output.style.warn(`  ${visible(describeDegraded(degraded))}`));
      }
    },
  );
}

function documentOf({ path, dependencies, locked, lockFile, degraded }: ManifestFacts): ManifestDocument {
  return {
    manifest: path,
    manager: dependencies?.manager ?? null,
    lockFile: lockFile ?? null,
    dependencies: Object.entries(dependencies?.direct ?? {}).map(([name, range]) => ({
      name,
      range,
      version: Object.hasOwn(locked, name) ? (locked[name] ?? null) : null,
    })),
    degraded: degraded ?? null,
  };
}
