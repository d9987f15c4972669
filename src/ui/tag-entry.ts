import type { TagInput } from '../agents/index.ts';
import { parseTags } from '../snapshot/index.ts';

/** What somebody types into the tag box, as it would be stored. */
export interface TagEntry {
  readonly tags: readonly TagInput[];
  /** Whether it may be stored as it is; if not, `message` says what to write instead. */
  readonly ok: boolean;
  /** One line, shown below the box while typing; empty while nothing was typed. */
  readonly message: string;
}

/** The only way from typed text to tags: what is shown back here is what is stored. */
export function tagEntry(text: string, dictionary: Readonly<Record<string, string>>): TagEntry {
  const { tags, problems } = parseTags(text, dictionary);
  if (problems.length > 0) return { tags, ok: false, message: problems.join(' ') };
  if (tags.length === 0) return { tags, ok: true, message: '' };
  return { tags, ok: true, message: `Enter stores ${tagWords(tags)}` };
}

/** Tags on one line, for people. */
export function tagWords(tags: readonly TagInput[]): string {
  return tags.map(({ key, value }) => `${key}: ${value}`).join(' · ');
}
