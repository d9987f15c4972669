import { readSettings, type SettingName, type Settings } from '../agents/index.ts';
import { messageOf } from '../base/index.ts';

/** Settings of one folder as the editor has them. */
export interface EditorSettings {
  /** A setting that is not valid stands here with its default. */
  readonly settings: Settings;
  /** Sentences about those that are not valid. While there is one no request goes to a model: its default may lead elsewhere. */
  readonly problems: readonly string[];
}

/** Reads every setting by itself, so that one mistake does not take the others with it. */
export function editorSettings(names: readonly SettingName[], lookup: (name: SettingName) => unknown): EditorSettings {
  const problems: string[] = [];
  const valid = new Map<SettingName, unknown>();
  for (const name of names) {
    const value = lookup(name);
    try {
      readSettings((asked) => (asked === name ? value : undefined));
      valid.set(name, value);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return { settings: readSettings((name) => valid.get(name)), problems };
}
