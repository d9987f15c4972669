import * as vscode from 'vscode';
import type { TagInput } from '../agents/index.ts';
import { tagEntry } from './tag-entry.ts';

export interface TagQuestion {
  readonly title: string;
  /** What is set now, for people; empty when nothing is. */
  readonly now: string;
  readonly dictionary: Readonly<Record<string, string>>;
}

const PROMPT =
  'Tags in your own words, for example "priority: high, module=auth". Enter without any marks without tags, Escape stores nothing.';

/** Asks for tags in free text and shows them back as understood. Null when the person thinks better of it. */
export function askForTags({ title, now, dictionary }: TagQuestion): Promise<readonly TagInput[] | null> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.prompt = now === '' ? PROMPT : `${PROMPT} Now: ${now}.`;
  box.placeholder = 'priority: high, module=auth';
  // A click elsewhere must not throw away what was typed.
  box.ignoreFocusOut = true;
  const showBack = () => {
    const { ok, message } = tagEntry(box.value, dictionary);
    // A message takes the place of the prompt, which says all there is to say about an empty box.
    if (message === '') {
      box.validationMessage = undefined;
      return;
    }
    const severity = ok ? vscode.InputBoxValidationSeverity.Info : vscode.InputBoxValidationSeverity.Error;
    box.validationMessage = { message, severity };
  };
  showBack();
  const { promise, resolve } = Promise.withResolvers<readonly TagInput[] | null>();
  box.onDidChangeValue(showBack);
  box.onDidAccept(() => {
    const { ok, tags } = tagEntry(box.value, dictionary);
    if (!ok) return;
    resolve(tags);
    box.hide();
  });
  box.onDidHide(() => {
    resolve(null);
    box.dispose();
  });
  box.show();
  return promise;
}
