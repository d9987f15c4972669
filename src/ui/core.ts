import * as vscode from 'vscode';
import {
  type Clock,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  messageOf,
  systemClock,
} from '../base/index.ts';
import { NetworkGate, PowerContextRecall } from '../inject/index.ts';
import { activeFile, editorView, onDidChangeActiveFile } from './editors.ts';
import { folderHost } from './folder-host.ts';
import { watchGit } from './git-watch.ts';
import { KeyStore } from './key-store.ts';
import { ModelAccess } from './model-access.ts';
import { Notices } from './notices.ts';
import { createObserver, type Observe } from './observation.ts';
import { openProject, type ProjectParts } from './open-project.ts';
import { channelLogger } from './output-log.ts';
import { type FolderHost, Projects } from './projects.ts';
import { repositoryFinder } from './repository-finder.ts';
import { Services } from './services.ts';
import { WindowSettings } from './window-settings.ts';
import { WindowState } from './window-state.ts';

/** What the features of the extension share. Owned by the extension's root. */
export interface Core extends vscode.Disposable {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observe: Observe;
  readonly channel: vscode.LogOutputChannel;
  readonly media: vscode.Uri;
  readonly settings: WindowSettings;
  readonly notices: Notices;
  readonly keys: KeyStore;
  readonly models: ModelAccess;
  readonly host: FolderHost;
  readonly projects: Projects;
  readonly state: WindowState;
  /** Anything changed that the status bar or the context view shows. */
  readonly onDidChange: Event<void>;
  /** Says that a request has left, with its receipt. */
  requestSent(): void;
  /** Resolves when everything that was queued is written and the workers have ended. */
  close(): Promise<void>;
}

/** Constructs it. Reads nothing and starts nothing: workers, memory and model come with their first use. */
export function createCore(context: vscode.ExtensionContext): Core {
  const owned = new DisposableStore();
  const clock = systemClock();
  const observe = createObserver(process.env, () => clock.now());
  const channel = owned.add(vscode.window.createOutputChannel('ProjectAnchor', { log: true }));
  const logger = channelLogger(channel);
  const failed = (error: unknown) => logger.error(`A listener failed: ${messageOf(error)}`);

  const settings = owned.add(new WindowSettings());
  const notices = owned.add(new Notices(failed));
  const keys = owned.add(new KeyStore(context.secrets, failed));
  const network = new NetworkGate(() => settings.servers());
  const models = new ModelAccess(() => settings.of(), keys, network.fetch, clock);
  const memory = new PowerContextRecall(() => settings.memoryServer(), network.fetch, clock, logger);
  const services = new Services(context.asAbsolutePath('dist'), () => settings.of().settings, clock, logger);

  const host = folderHost();
  const changed = owned.add(new Emitter<void>(failed));
  const tell = () => changed.fire();
  const around: ProjectParts['around'] = {
    editorView,
    owns: (project, file) => projects.owns(project, file),
    watchGit: (places, listener) => watchGit(places, listener, clock, logger),
    tell,
    reopen: (project) => {
      projects
        .reopen(project)
        .catch((error: unknown) => logger.error(`The project could not be opened anew: ${messageOf(error)}`));
    },
  };
  const parts = {
    services: () => services.get(),
    settings: (folder: string) => settings.of(folder).settings,
    memory,
    around,
    observe,
  };
  const finder = repositoryFinder((folder) => settings.of(folder).settings['snapshot.exclude']);
  const projects = owned.add(new Projects(host, (folder) => openProject(folder, parts), finder, logger));
  const state = new WindowState(host, projects, notices, () => activeFile()?.uri.fsPath ?? null);

  owned.add(projects.onDidChange(tell));
  owned.add(projects.each(({ session }) => session.onDidChange(tell)));
  owned.add(notices.onDidChange(tell));
  owned.add(keys.onDidChange(tell));
  owned.add(onDidChangeActiveFile(tell));
  owned.add(vscode.workspace.onDidGrantWorkspaceTrust(tell));
  owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => projects.foldersChanged()));
  const settingsChanged = () => {
    services.settingsChanged();
    for (const project of projects.all()) project.settingsChanged();
    notices.set('settings', settings.of().problems[0] ?? services.remedy);
    tell();
  };
  owned.add(settings.onDidChange(settingsChanged));
  notices.set('settings', settings.of().problems[0] ?? null);

  return {
    clock,
    logger,
    observe,
    channel,
    media: vscode.Uri.joinPath(context.extensionUri, 'media'),
    settings,
    notices,
    keys,
    models,
    host,
    projects,
    state,
    onDidChange: changed.event,
    requestSent: tell,
    close: async () => {
      await Promise.allSettled(projects.all().map(({ session }) => session.flushReceipts()));
      await services.close();
      observe('closed');
    },
    dispose: () => owned.dispose(),
  };
}
