import * as vscode from 'vscode';
import { type Logger, ProjectAnchorError } from '../../base/index.ts';
import type { TakenSnapshot } from '../../snapshot/index.ts';
import type { Core } from '../core.ts';
import { Commands } from '../ids.ts';
import { showError, showSuccess } from '../messages.ts';
import type { Projects } from '../projects.ts';
import { countOf } from '../status-text.ts';
import type { WindowState } from '../window-state.ts';

/** *Take Snapshot Now*: of the project that the window is about. */
export function registerSnapshotCommand({ state, projects, logger }: Core): vscode.Disposable {
  return vscode.commands.registerCommand(Commands.takeSnapshot, () => takeSnapshot(state, projects, logger));
}

async function takeSnapshot(state: WindowState, projects: Projects, logger: Logger): Promise<void> {
  try {
    const folder = state.folder();
    if (folder === null)
      throw new ProjectAnchorError('no_folder', 'No folder is open.', 'Open the folder of a project.');
    const { project } = await projects.locate(folder.path);
    const options = { location: vscode.ProgressLocation.Window, title: 'Taking a snapshot…' };
    showSuccess(takenWords(await vscode.window.withProgress(options, () => project.scheduler.manual())));
  } catch (error) {
    await showError(error, logger);
  }
}

function takenWords({ stored, snapshot, changed }: TakenSnapshot): string {
  if (!stored) return 'Nothing has changed since the last snapshot';
  const files = countOf(snapshot.files.count, 'file');
  return changed.length === 0 ? `Snapshot taken: ${files}` : `Snapshot taken: ${files}, ${changed.length} changed`;
}
