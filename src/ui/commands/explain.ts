import * as vscode from 'vscode';
import { type Logger, messageOf, ProjectAnchorError } from '../../base/index.ts';
import type { CodeExplainRequest } from '../../inject/index.ts';
import type { SpeakingProject } from '../completion-engine.ts';
import type { Core } from '../core.ts';
import { fileOf } from '../cursor.ts';
import { selectedLines } from '../editor-target.ts';
import { type ExplainOutcome, explain } from '../explain.ts';
import { ExplainDocuments } from '../explain-document.ts';
import { Commands } from '../ids.ts';
import { showError, showHint } from '../messages.ts';
import type { ModelAccess } from '../model-access.ts';

/** *Explain Selection*, with the documents that show answers. */
export function registerExplain(core: Core): vscode.Disposable {
  const { projects, state, models, observe, logger } = core;
  const speaking = async (file: string): Promise<SpeakingProject> => {
    const folder = file.startsWith('untitled:') ? state.folder()?.path : file;
    if (folder === undefined) {
      throw new ProjectAnchorError('no_folder', 'No folder is open.', 'Open the folder of a project.');
    }
    const { project } = await projects.locate(folder);
    return state.speaking(file) ?? { session: project.session, recall: project.recall, path: null };
  };
  const documents = new ExplainDocuments();
  const done = (outcome: ExplainOutcome) => {
    observe('explained', { outcome });
    core.requestSent();
  };
  const command = new ExplainCommand(speaking, models, documents, done, logger);
  return vscode.Disposable.from(
    documents,
    vscode.commands.registerCommand(Commands.explain, () => command.run()),
  );
}

/** Asks for a question and streams the answer into a document beside. */
class ExplainCommand {
  readonly #project: (file: string) => Promise<SpeakingProject>;
  readonly #models: ModelAccess;
  readonly #documents: ExplainDocuments;
  readonly #done: (outcome: ExplainOutcome) => void;
  readonly #logger: Logger;

  constructor(
    project: (file: string) => Promise<SpeakingProject>,
    models: ModelAccess,
    documents: ExplainDocuments,
    done: (outcome: ExplainOutcome) => void,
    logger: Logger,
  ) {
    this.#project = project;
    this.#models = models;
    this.#documents = documents;
    this.#done = done;
    this.#logger = logger;
  }

  async run(): Promise<void> {
    try {
      const editor = vscode.window.activeTextEditor;
      const lines = editor === undefined ? null : selectedLines(editor.selection);
      if (editor === undefined || lines === null) return await showHint('Select the code to explain first.');
      const problem = await this.#models.problem();
      if (problem !== null) return await showHint(problem, { title: 'Set Key', command: Commands.setKey });

      const { uri, languageId } = editor.document;
      const selection = editor.document.getText(editor.selection);
      const file = fileOf(uri);
      const project = await this.#project(file);
      const request: CodeExplainRequest = { type: 'explain', file, language: languageId, selection, line: lines.start };
      // What is refused is refused before anything is asked of the person.
      project.session.check({ ...request, file: project.path ?? file });
      const question = await askQuestion();
      if (question === undefined) return;
      const asked = question === '' ? request : { ...request, question };
      await this.#answer(asked, project, `Explain ${nameOf(uri)} L${lines.start}-L${lines.end}`);
    } catch (error) {
      await showError(error, this.#logger);
    }
  }

  async #answer(request: CodeExplainRequest, project: SpeakingProject, title: string): Promise<void> {
    const page = await this.#documents.open(title);
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    await vscode.window.withProgress(options, async (_progress, token) => {
      const cancel = new AbortController();
      const cancelled = token.onCancellationRequested(() => cancel.abort());
      try {
        const signal = AbortSignal.any([cancel.signal, page.closed]);
        this.#done(await explain(request, project, this.#models, page, signal));
      } catch (error) {
        this.#logger.error(messageOf(error));
      } finally {
        cancelled.dispose();
      }
    });
  }
}

/** A question, `''` for none, undefined when the person thinks better of it. */
async function askQuestion(): Promise<string | undefined> {
  const question = await vscode.window.showInputBox({
    title: 'Explain Selection',
    prompt:
      'Your question. Empty asks for an explanation of the code. Why-questions also ask the memory server, if one is set.',
    placeHolder: 'What does it do?',
    ignoreFocusOut: true,
  });
  return question?.trim();
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}
