import * as vscode from 'vscode';
import type { TagInput } from '../../agents/index.ts';
import { type Logger, messageOf } from '../../base/index.ts';
import { formatTarget } from '../../snapshot/index.ts';
import { commandCall, isDirectory } from '../command-calls.ts';
import type { Core } from '../core.ts';
import { marksMeant, type Picked, pickedBy, targetAt } from '../editor-target.ts';
import { Commands } from '../ids.ts';
import { showError, showHint, showSuccess } from '../messages.ts';
import type { Observe } from '../observation.ts';
import type { Project, Projects } from '../projects.ts';
import { countOf } from '../status-text.ts';
import { askForTags } from '../tag-box.ts';
import { tagWords } from '../tag-entry.ts';

/** A place in an open project, as the protocol writes it. */
interface Place {
  readonly project: Project;
  readonly target: string;
  /** The file as the editor shows it, when lines of it are meant. */
  readonly text?: string;
}

/** *Mark as Context Focus* and *Unmark*. */
export function registerMarkCommands({ projects, settings, observe, logger }: Core): vscode.Disposable {
  const commands = new MarkCommands(projects, () => settings.of().settings['tags.dictionary'], observe, logger);
  return vscode.Disposable.from(
    vscode.commands.registerCommand(Commands.markFocus, (...args) => commands.mark(args)),
    vscode.commands.registerCommand(Commands.unmark, (...args) => commands.unmark(args)),
  );
}

class MarkCommands {
  readonly #projects: Projects;
  readonly #dictionary: () => Readonly<Record<string, string>>;
  readonly #observe: Observe;
  readonly #logger: Logger;

  constructor(
    projects: Projects,
    dictionary: () => Readonly<Record<string, string>>,
    observe: Observe,
    logger: Logger,
  ) {
    this.#projects = projects;
    this.#dictionary = dictionary;
    this.#observe = observe;
    this.#logger = logger;
  }

  /** Asks for tags, shows them back as understood and stores the mark; Escape stores nothing. */
  async mark(args: readonly unknown[]): Promise<void> {
    try {
      const places = await this.#places(pickedBy(commandCall(args)));
      if (places.length === 0) return await showHint('Open a file, or choose files in the explorer, to mark them.');
      const label = labelOf(places);
      const tags = await askForTags({ title: `Mark ${label}`, now: tagsNow(places), dictionary: this.#dictionary() });
      if (tags === null) return;
      await this.#store(places, tags);
      showSuccess(`Marked ${label}${tags.length === 0 ? '' : ` · ${tagWords(tags)}`}`);
    } catch (error) {
      await showError(error, this.#logger);
    }
  }

  /** Removes the marks on what was pointed at; asks which when there are several, or when nothing was pointed at. */
  async unmark(args: readonly unknown[]): Promise<void> {
    try {
      const places = await this.#places(pickedBy(commandCall(args)));
      const meant = places.length === 0 ? this.#allMarks() : places.flatMap(marksAt);
      if (meant.length === 0) {
        const where = places.length === 0 ? 'This project' : labelOf(places);
        return await showHint(`${where} has no mark.`);
      }
      const chosen = meant.length === 1 || places.length > 1 ? meant : await choose(meant);
      for (const place of chosen) await this.#remove(place);
      if (chosen.length > 0) showSuccess(`Removed ${countOf(chosen.length, 'mark')}`);
    } catch (error) {
      await showError(error, this.#logger);
    }
  }

  async #places(picked: readonly Picked[]): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (const { file, lines } of picked) {
      const { project, path } = await this.#projects.locate(file);
      const target = formatTarget(targetAt(path, await isDirectory(file), lines));
      const text = lines === null ? undefined : textOf(file);
      places.push({ project, target, ...(text === undefined ? {} : { text }) });
    }
    return places;
  }

  async #store(places: readonly Place[], tags: readonly TagInput[]): Promise<void> {
    const failures: string[] = [];
    for (const { project, target, text } of places) {
      try {
        const { seq } = await project.session.mark(target, tags, text);
        this.#observe('marked', { target, seq });
        project.scheduler.marked();
      } catch (error) {
        failures.push(places.length === 1 ? messageOf(error) : `${target}: ${messageOf(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.join(' '));
  }

  async #remove({ project, target }: Place): Promise<void> {
    const ack = await project.session.unmark(target);
    this.#observe('unmarked', { target, seq: ack?.seq ?? null });
    project.scheduler.marked();
  }

  #allMarks(): readonly Place[] {
    return this.#projects
      .all()
      .flatMap((project) => project.session.marks().map(({ target }) => ({ project, target })));
  }
}

function textOf(file: string): string | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === file)?.getText();
}

function marksAt({ project, target }: Place): readonly Place[] {
  const marked = project.session.marks().map((mark) => mark.target);
  return marksMeant(target, marked).map((meant) => ({ project, target: meant }));
}

function labelOf(places: readonly Place[]): string {
  const [first] = places;
  if (places.length !== 1 || first === undefined) return countOf(places.length, 'item');
  return first.target === '.' ? `the whole of ${first.project.name}` : first.target;
}

/** The tags that a single target has already. */
function tagsNow(places: readonly Place[]): string {
  const [first] = places;
  if (places.length !== 1 || first === undefined) return '';
  const mark = first.project.session.marks().find(({ target }) => target === first.target);
  const set = Object.entries(mark?.tags ?? {}).flatMap(([key, slot]) =>
    slot.set === undefined ? [] : [{ key, value: slot.set.value }],
  );
  return tagWords(set);
}

async function choose(meant: readonly Place[]): Promise<readonly Place[]> {
  const items = meant.map((place) => ({ label: place.target, description: place.project.name, place }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Unmark',
    placeHolder: 'Which marks should go?',
    canPickMany: true,
  });
  return (chosen ?? []).map(({ place }) => place);
}
