import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  IdleAutoTags,
  openProjectSession,
  type SessionServices,
  type SessionSettings,
  type Settings,
} from '../agents/index.ts';
import { messageOf } from '../base/index.ts';
import { type Recall, RecallService, type RecallSettings } from '../inject/index.ts';
import { LiveProject, type ProjectSurroundings } from './live-project.ts';
import type { Observe } from './observation.ts';
import type { Folder, OpenedProject } from './projects.ts';

export interface ProjectParts {
  /** Asked for when the first project opens. */
  services(): Omit<SessionServices, 'settings'>;
  /** Settings of a folder as they are now. */
  settings(folder: string): Settings;
  readonly memory: Recall;
  readonly around: Omit<ProjectSurroundings, 'intervalMinutes'>;
  readonly observe: Observe;
}

/** Opens the project of a folder: its session, its memory, and what takes its snapshots. */
export async function openProject({ path: folder }: Folder, parts: ProjectParts): Promise<OpenedProject> {
  const services = parts.services();
  const settings = () => parts.settings(folder);
  const session = await openProjectSession(folder, {
    ...services,
    outlines: 'known',
    settings: () => sessionSettings(settings()),
  });
  const { toplevel } = session.identity;
  const root = { folder, realFolder: await realpath(folder), toplevel };
  const recall = new RecallService(
    parts.memory,
    () => recallSettings(settings()),
    () => session.gate,
    services.clock,
  );
  const autoTags = new IdleAutoTags(session, services.clock, (error) =>
    services.logger.warn(`Automatic tags were not brought up to date: ${messageOf(error)}`),
  );
  const around = { ...parts.around, intervalMinutes: () => settings()['snapshot.intervalMinutes'] };
  const project = new LiveProject(
    { name: basename(toplevel), root },
    { session, recall, autoTags },
    around,
    parts.observe,
    services.clock,
  );
  return { root, project };
}

function sessionSettings(settings: Settings): SessionSettings {
  return {
    completionTokens: settings['context.completionTokens'],
    explainTokens: settings['context.explainTokens'],
    halfLifeDays: settings['tags.halfLifeDays'],
    complexityThreshold: settings['tags.complexityThreshold'],
    dictionary: settings['tags.dictionary'],
    exclude: settings['snapshot.exclude'],
  };
}

function recallSettings(settings: Settings): RecallSettings {
  return {
    mode: settings['powercontext.recall'],
    maxBytes: settings['powercontext.maxBytes'],
    budgetMs: settings['powercontext.budgetMs'],
  };
}
