import { ProjectAnchorError } from '../base/index.ts';
import dictionaryFile from './tag-dictionary.json' with { type: 'json' };
import { assignmentAt, type Piece, shown, splitTagText } from './tag-text.ts';

export interface Tag {
  readonly key: string;
  readonly value: string;
}

export interface ParsedTags {
  /** In the order written; a key that is given twice counts once, with its last value. */
  readonly tags: readonly Tag[];
  /** What was not understood, each a sentence that says what to write instead. */
  readonly problems: readonly string[];
}

/** A person's own phrases (`projectAnchor.tags.dictionary`): phrase → `key: value`. They win over the built-in ones. */
export type TagDictionary = Readonly<Record<string, string>>;

/** Protocol §4. */
const KEY = /^[\p{Ll}\p{Lo}\p{N}_]{1,64}$/u;
const MAX_VALUE = 128;
/** More tags on one target than a person reads; a mark has to fit a delta of 128 KiB many times over. */
const MAX_TAGS = 32;

const URL_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'ftp', 'ssh', 'file', 'mailto']);

/** How two spellings of the same word compare equal: width, case, spaces, hyphens and underscores do not count. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, ' ')
    .trim();
}

/** The dictionary as it is looked up. Maps, so that no word of a person meets a name of `Object.prototype`. */
interface Words {
  readonly keys: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly phrases: ReadonlyMap<string, string>;
}

function invert(groups: Readonly<Record<string, readonly string[]>>): Map<string, string> {
  const inverted = new Map<string, string>();
  for (const [meaning, words] of Object.entries(groups)) {
    inverted.set(fold(meaning), meaning);
    for (const word of words) inverted.set(fold(word), meaning);
  }
  return inverted;
}

function wordsOf(own: TagDictionary): Words {
  const values = Object.entries(dictionaryFile.values).map(([key, groups]) => [key, invert(groups)] as const);
  const phrases = invert(dictionaryFile.phrases);
  for (const [phrase, meaning] of Object.entries(own)) phrases.set(fold(phrase), meaning);
  return { keys: invert(dictionaryFile.keys), values: new Map(values), phrases };
}

function invalid(what: string, remedy: string): ProjectAnchorError {
  return new ProjectAnchorError('invalid', what, remedy);
}

function normaliseKey(text: string, words: Words): string {
  const synonym = words.keys.get(fold(text));
  if (synonym !== undefined) return synonym;
  const key = text
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/gu, '_');
  if (KEY.test(key)) return key;
  if (key === '') throw invalid('A tag has a value but no key.', 'Write it as key: value.');
  const length = [...key].length;
  if (length > 64) {
    throw invalid(`The key ${shown(key)} has ${length} characters.`, 'Use at most 64.');
  }
  throw invalid(`${shown(text)} cannot be a key.`, 'Keys have lower-case letters, digits and “_” only.');
}

function normaliseValue(key: string, text: string, words: Words): string {
  const value = text.normalize('NFC').trim();
  if (value === '') throw invalid(`The tag ${shown(key)} has no value.`, `Write it as ${key}: value.`);
  if (!value.isWellFormed()) throw invalid(`The value of ${shown(key)} has half of a character.`, 'Type it again.');
  if (/\p{Cc}/u.test(value)) throw invalid(`The value of ${shown(key)} has a control character.`, 'Remove it.');
  const length = [...value].length;
  if (length > MAX_VALUE) {
    throw invalid(`The value of ${shown(key)} has ${length} characters.`, `Use at most ${MAX_VALUE}.`);
  }
  return words.values.get(key)?.get(fold(value)) ?? value;
}

function normalise(key: string, value: string, words: Words): Tag {
  const normalKey = normaliseKey(key, words);
  return { key: normalKey, value: normaliseValue(normalKey, value, words) };
}

/**
 * A tag as it is published (protocol §4): NFC, trimmed, key in lower case, synonyms replaced.
 * @throws ProjectAnchorError `invalid` with what is wrong and what to write.
 */
export function normaliseTag(key: string, value: string, dictionary: TagDictionary = {}): Tag {
  return normalise(key, value, wordsOf(dictionary));
}

/**
 * Understands tags in free text, such as `priority: high, module=auth` or `紧急，模块：登录`.
 * Nothing is guessed: what has no key and is in no dictionary is a problem. Empty text is no tags and no problem.
 */
export function parseTags(text: string, dictionary: TagDictionary = {}): ParsedTags {
  const words = wordsOf(dictionary);
  const found = new Map<string, string>();
  const problems: string[] = [];
  for (const piece of splitTagText(text, (word) => words.keys.has(fold(word)))) {
    try {
      for (const { key, value } of readPiece(piece, words)) {
        const before = found.get(key) ?? value;
        if (before !== value)
          problems.push(`${shown(key)} is given twice: ${shown(value)} is used, not ${shown(before)}.`);
        found.set(key, value);
      }
    } catch (error) {
      if (!(error instanceof ProjectAnchorError)) throw error;
      problems.push(error.message);
    }
  }
  const tags = Array.from(found, ([key, value]) => ({ key, value }));
  if (tags.length > MAX_TAGS) {
    problems.push(`These are ${tags.length} tags: the first ${MAX_TAGS} are used, mark several targets for more.`);
  }
  return { tags: tags.slice(0, MAX_TAGS), problems: shorten(problems) };
}

function shorten(problems: readonly string[]): readonly string[] {
  const most = 5;
  if (problems.length <= most) return problems;
  return [...problems.slice(0, most), `There are ${problems.length - most} more problems like these.`];
}

function readPiece(piece: Piece, words: Words): readonly Tag[] {
  if (piece.problem !== undefined) throw new ProjectAnchorError('invalid', piece.problem);
  const { key, value } = piece;
  if (key === null) return readPhrase(value, words);
  if (URL_SCHEMES.has(key.toLowerCase()) && value.startsWith('//')) {
    throw invalid(`${shown(`${key}:${value}`)} has no key.`, 'Write it as link: "https://…".');
  }
  return [normalise(key, value, words)];
}

/** A phrase of the dictionary, or several in a row, such as `P0 wip`. */
function readPhrase(phrase: string, words: Words): readonly Tag[] {
  const whole = meaningOf(phrase, words);
  if (whole !== undefined) return [tagOf(phrase, whole, words)];
  const rest = phrase.split(/\s+/u);
  const tags: Tag[] = [];
  while (rest.length > 0) {
    const length = longestKnown(rest, words);
    if (length === 0) {
      throw invalid(
        `${shown(phrase)} has no key and is no phrase I know.`,
        `Write for example topic: ${suggested(phrase)}.`,
      );
    }
    const part = rest.splice(0, length).join(' ');
    tags.push(tagOf(part, meaningOf(part, words) ?? '', words));
  }
  return tags;
}

/** How many of the first words make a phrase of the dictionary; no phrase there has more than five. */
function longestKnown(rest: readonly string[], words: Words): number {
  for (let length = Math.min(5, rest.length); length > 0; length--) {
    if (meaningOf(rest.slice(0, length).join(' '), words) !== undefined) return length;
  }
  return 0;
}

function meaningOf(phrase: string, words: Words): string | undefined {
  return words.phrases.get(fold(phrase.replace(/^#/, '')));
}

function tagOf(phrase: string, meaning: string, words: Words): Tag {
  const split = assignmentAt(meaning);
  if (split < 1) {
    throw invalid(
      `Your dictionary explains ${shown(phrase)} as ${shown(meaning)}, which is not a tag.`,
      'Write it as key: value in the setting projectAnchor.tags.dictionary.',
    );
  }
  return normalise(meaning.slice(0, split), meaning.slice(split + 1), words);
}

function suggested(phrase: string): string {
  const characters = [...phrase.trim().replace(/\s+/gu, ' ')];
  return characters.length > 30 ? `${characters.slice(0, 30).join('')}…` : characters.join('');
}
