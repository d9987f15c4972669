import * as vscode from 'vscode';
import { type Logger, messageOf } from '../base/index.ts';
import type { CodeCompletionRequest } from '../inject/index.ts';
import { ActiveFacts, type OpenFile } from './active-facts.ts';
import type { Core } from './core.ts';
import { activeFile, onDidChangeActiveFile } from './editors.ts';
import type { Projects } from './projects.ts';

/**
 * Keeps what a request about the active file needs in memory: its outline and imports, worked out in the worker after
 * each pause in typing, and what the memory server says about it.
 */
export function registerFacts({ projects, observe, clock, logger }: Core): vscode.Disposable {
  const facts = new ActiveFacts(
    async (file, text) => {
      if (await refresh(projects, file, text, logger)) observe('facts', { unsaved: text !== null });
    },
    clock,
    logger,
  );
  const openActive = () => {
    const document = activeFile();
    if (document !== null) facts.opened(openFile(document));
  };
  return vscode.Disposable.from(
    facts,
    onDidChangeActiveFile((document) => facts.opened(openFile(document))),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && document === activeFile()) facts.changed(openFile(document));
    }),
    // The first file may be open before its project is.
    projects.each(() => {
      openActive();
      return new vscode.Disposable(() => undefined);
    }),
  );
}

function openFile(document: vscode.TextDocument): OpenFile {
  return { file: document.uri.fsPath, text: () => (document.isDirty ? document.getText() : null) };
}

/** False for a file of no open project. */
async function refresh(projects: Projects, file: string, text: string | null, logger: Logger): Promise<boolean> {
  await projects.discover(file);
  const located = projects.find(file);
  if (located === null) return false;
  const { project, path } = located;
  const { session, recall } = project;
  const { language } = await session.refreshFacts(path, text);
  const request: CodeCompletionRequest = { type: 'completion', file: path, language, line: 1, prefix: '', suffix: '' };
  // Not awaited: the next facts must not wait for a memory server.
  recall
    .fetchAhead(request, session.view(path), new AbortController().signal)
    .catch((error: unknown) => logger.debug(`Memory was not fetched ahead: ${messageOf(error)}`));
  return true;
}
