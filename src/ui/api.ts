import type { FileUri, ProjectAnchorApi } from '../agents/index.ts';
import { DisposableStore, Emitter, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { DeltaBatch } from '../delta/index.ts';
import type { Injected, InjectRequest } from '../inject/index.ts';
import type { Projects } from './projects.ts';

/** The extension's door for other extensions. `current` gives a path in the project that is meant when none is named. */
export function createApi(projects: Projects, current: () => string | null, logger: Logger): ProjectAnchorApi {
  const owned = new DisposableStore();
  const deltas = owned.add(new Emitter<DeltaBatch>((error) => logger.error(`A listener failed: ${messageOf(error)}`)));
  owned.add(projects.each(({ session }) => session.onDeltas((batch) => deltas.fire(batch))));

  const sessionAt = async (file: string) => (await projects.locate(file)).project.session;
  const sessionOf = async (uri: FileUri) => {
    if (uri.scheme === 'file') return sessionAt(uri.fsPath);
    throw new ProjectAnchorError('outside', `Projects have files on disk; this is "${uri.scheme}:".`);
  };
  return {
    version: 1,
    anchor: async (uri) => (await sessionOf(uri)).identity.anchor,
    snapshot: async (uri) => {
      const session = await sessionOf(uri);
      if (session.latest !== null) return session.latest.snapshot;
      const { taken } = await session.take('agent', { active: null, open: [] });
      return taken.snapshot;
    },
    inject: async <R extends InjectRequest>(request: R): Promise<Injected<R>> => {
      const file = request.file ?? current();
      if (file === null) throw new ProjectAnchorError('outside', 'No folder is open.', 'Open the folder of a project.');
      const { project, path } = await projects.locate(file);
      // The facts say whether git ignores the file; nothing of it is handed out before they are known.
      if (request.file !== undefined && project.session.facts(path) === null) {
        await project.session.refreshFacts(path, null);
      }
      return project.session.inject(request);
    },
    onDelta: deltas.event,
    dispose: () => owned.dispose(),
  };
}
