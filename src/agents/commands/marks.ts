import type { Command } from 'commander';
import { ProjectAnchorError } from '../../base/index.ts';
import {
  type Marks,
  normaliseTag,
  parseTags,
  parseTarget,
  symbolName,
  type TagInForce,
  tagsInForce,
  targetPath,
} from '../../snapshot/index.ts';
import type { ProjectSession, TagInput } from '../session-types.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { TextLines } from './lines.ts';
import { projectText } from './project-text.ts';
import { type NamedTarget, targetFrom } from './targets.ts';
import { percent, table, visible, when } from './text.ts';

const TARGET = 'a file, a folder, "." or a file with #L10-L20 or #sym:Name';

/** `tag` and `focus`: what people and agents mark. */
export function addMarkCommands(program: Command, host: CommandHost): void {
  const tag = program.command('tag').description('tags of files, folders, lines and symbols');
  run<object, [string, string[]]>(
    host,
    tag
      .command('add')
      .description('set tags')
      .argument('<target>', TARGET)
      .argument('<key=value...>', 'tags, or words of the dictionary'),
    async (call, typed, words) => {
      const session = await call.runtime.session();
      const named = nameOf(call, session, typed);
      const { target } = named;
      await session.addTags(target, tagsFrom(words, call.runtime.settings['tags.dictionary']));
      await noteMissing(call, session, named);
      await printTags(call, inForce(session, target, call));
    },
  );
  run<object, [string, string]>(
    host,
    tag.command('remove').description('remove a tag').argument('<target>', TARGET).argument('<key>'),
    async (call, typed, key) => {
      const session = await call.runtime.session();
      const target = existing(call, session, typed);
      const ack = (await session.removeTag(target, key)) ?? (await session.removeTag(target, normalKey(key, call)));
      if (ack === null) throw nothingThere(`${target} has no tag "${visible(key)}" of its own`, 'tag list');
      await printTags(call, inForce(session, target, call));
    },
  );
  run<object, [string | undefined]>(
    host,
    tag.command('list').description('tags in force').argument('[target]', `${TARGET}; without it every tag`),
    async (call, typed) => {
      const session = await call.runtime.session();
      const tags =
        typed === undefined ? allTags(session, call) : inForce(session, existing(call, session, typed), call);
      await printTags(call, tags);
    },
  );

  const focus = program.command('focus').description('marks a context focus: what matters now');
  run<object, [string, string[]]>(
    host,
    focus
      .command('add')
      .description('mark a focus')
      .argument('<target>', TARGET)
      .argument('[key=value...]', 'tags to set along'),
    async (call, typed, words) => {
      const session = await call.runtime.session();
      const named = nameOf(call, session, typed);
      const tags = tagsFrom(words, call.runtime.settings['tags.dictionary']);
      const text = await textOfLines(session, named.target);
      await session.mark(named.target, tags, text);
      await noteMissing(call, session, named);
      await printFocus(call, session);
    },
  );
  run<object, [string]>(
    host,
    focus.command('remove').description('take a focus and the tags set on it away').argument('<target>', TARGET),
    async (call, typed) => {
      const session = await call.runtime.session();
      const target = existing(call, session, typed);
      if ((await session.unmark(target)) === null) throw nothingThere(`${target} is not marked`, 'focus list');
      await printFocus(call, session);
    },
  );
  run(host, focus.command('list').description('what is marked, heaviest first'), async (call) => {
    await printFocus(call, await call.runtime.session());
  });
}

function nameOf(call: Call<CommonOptions>, session: ProjectSession, typed: string): NamedTarget {
  return targetFrom({ toplevel: session.identity.toplevel, cwd: call.runtime.cwd }, typed);
}

/** What is not on this disk may be marked, but not silently. */
async function noteMissing(
  call: Call<CommonOptions>,
  session: ProjectSession,
  { target, exists }: NamedTarget,
): Promise<void> {
  if (!exists) return call.note(`note: ${visible(target)} is not on this disk now; the mark is kept for when it is`);
  const parsed = parseTarget(target);
  if (parsed.kind !== 'symbol') return;
  const { outline } = await session.refreshFacts(parsed.path, null);
  if (outline === null || outline.items.some((item) => symbolName(item) === parsed.symbol)) return;
  const [symbol, path] = [visible(parsed.symbol), visible(parsed.path)];
  call.note(`note: the outline of ${path} has no ${symbol} now; the mark is kept for when it has`);
}

/** A target that has marks: as a person names it, else as listings show it. */
function existing(call: Call<CommonOptions>, session: ProjectSession, typed: string): string {
  const { tags = {}, focus = {} } = session.state;
  const marked = (target: string) => Object.hasOwn(tags, target) || Object.hasOwn(focus, target);
  const { target, exists } = nameOf(call, session, typed);
  if (!marked(target) && marked(typed)) return typed;
  // A folder that is gone is typed without its slash.
  if (!exists && !marked(target) && marked(`${target}/`)) return `${target}/`;
  return target;
}

function nothingThere(what: string, list: string): ProjectAnchorError {
  return new ProjectAnchorError('not_found', `${what}.`, `See "project-anchor ${list}".`);
}

function normalKey(key: string, call: Call<CommonOptions>): string {
  return normaliseTag(key, 'any', call.runtime.settings['tags.dictionary']).key;
}

/** `key=value` words, taken literally behind the first `=`; a word without one may be a phrase of the dictionary. */
function tagsFrom(words: readonly string[], dictionary: Readonly<Record<string, string>>): TagInput[] {
  return words.flatMap((word) => {
    const split = word.indexOf('=');
    if (split > 0) return [{ key: word.slice(0, split), value: word.slice(split + 1) }];
    const { tags, problems } = parseTags(word, dictionary);
    if (problems[0] !== undefined || tags.length === 0) {
      throw new ProjectAnchorError('usage', problems[0] ?? 'A tag is empty.', 'Write tags as key=value.');
    }
    return tags;
  });
}

/** The text that a mark on lines is made on; its errors say why lines of that file cannot be marked. */
async function textOfLines(session: ProjectSession, target: string): Promise<string | undefined> {
  const parsed = parseTarget(target);
  if (parsed.kind !== 'lines') return undefined;
  const { path, end } = parsed;
  const text = await projectText(session, path, 'Its lines cannot be marked; mark the whole file instead.');
  new TextLines(text).demandLines(path, end);
  return text;
}

function marksOf(session: ProjectSession): Marks {
  const { tags = {}, focus = {} } = session.state;
  return { tags, focus };
}

/** A tag as it is listed: for which target it counts, and where it was set when that is elsewhere. */
export interface ListedTag {
  readonly target: string;
  readonly tag: TagInForce;
}

/** What counts for a target: its own tags, and those that its file inherits. */
export function inForce(session: ProjectSession, target: string, call: Call<CommonOptions>): ListedTag[] {
  const now = call.io.clock.now();
  const halfLife = call.runtime.settings['tags.halfLifeDays'];
  const parsed = parseTarget(target);
  const marks = marksOf(session);
  const path = parsed.kind === 'directory' ? `${parsed.path}/` : targetPath(parsed);
  const found = new Map(tagsInForce(marks, path, now, halfLife).map((tag) => [tag.key, tag]));
  if (parsed.kind === 'lines' || parsed.kind === 'symbol') {
    for (const tag of ownTags(marks, target, now, halfLife)) found.set(tag.key, tag);
  }
  return [...found.values()].map((tag) => ({ target, tag }));
}

function allTags(session: ProjectSession, call: Call<CommonOptions>): ListedTag[] {
  const marks = marksOf(session);
  const now = call.io.clock.now();
  const halfLife = call.runtime.settings['tags.halfLifeDays'];
  return Object.keys(marks.tags)
    .sort()
    .flatMap((target) => ownTags(marks, target, now, halfLife).map((tag) => ({ target, tag })));
}

/** The tags on a target itself, whatever kind it is. */
function ownTags(marks: Marks, target: string, now: number, halfLife: number): readonly TagInForce[] {
  const slots = Object.hasOwn(marks.tags, target) ? (marks.tags[target] ?? {}) : {};
  // As the project's own tags they are in force as they are, whatever the form of the target.
  return tagsInForce({ tags: { '.': slots }, focus: {} }, null, now, halfLife).map((tag) => ({
    ...tag,
    target,
    inherited: false,
  }));
}

async function printTags({ io, output }: Call<CommonOptions>, listed: readonly ListedTag[]): Promise<void> {
  if (output.json) {
    return output.document(
      listed.map(({ target, tag: { key, value, by, at, source, pinned, weight, target: from, inherited } }) => ({
        target,
        key,
        value,
        by,
        at,
        source,
        ...(pinned === undefined ? {} : { pinned }),
        weight,
        ...(inherited ? { from } : {}),
      })),
    );
  }
  if (listed.length === 0) return output.line('no tags');
  const { style } = output;
  await output.lines(
    table(
      listed.map(({ target, tag }) => [
        visible(target),
        `${style.bold(visible(tag.key))}: ${visible(tag.value)}`,
        percent(tag.weight).padStart(5),
        style.dim(
          `${tag.source}, ${when(tag.at, io.clock.now())}${tag.inherited ? `, from ${visible(tag.target)}` : ''}`,
        ),
      ]),
    ),
  );
}

async function printFocus(call: Call<CommonOptions>, session: ProjectSession): Promise<void> {
  const { io, output } = call;
  const marked = session.marks().filter(({ focus }) => focus !== null);
  const rows = marked.flatMap(({ target, focus, tags, weight }) => {
    const set = Object.entries(tags).flatMap(([key, slot]) =>
      slot.set === undefined ? [] : [[key, slot.set.value] as const],
    );
    return focus === null ? [] : [{ target, focus, set, weight }];
  });
  if (output.json) {
    return output.document(
      rows.map(({ target, focus, set, weight }) => ({ target, ...focus, weight, tags: Object.fromEntries(set) })),
    );
  }
  if (rows.length === 0) return output.line('nothing is marked: "project-anchor focus add FILE" does');
  await output.lines(
    table(
      rows.map(({ target, focus, set, weight }) => [
        output.style.bold(visible(target)),
        percent(weight).padStart(5),
        set.map(([key, value]) => `${visible(key)}: ${visible(value)}`).join(', ') || '-',
        output.style.dim(when(focus.at, io.clock.now())),
      ]),
    ),
  );
}
