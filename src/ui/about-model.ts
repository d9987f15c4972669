import { codeOf, messageOf } from '../base/index.ts';
import {
  describeBounded,
  describeDegraded,
  type FileFacts,
  type FileImports,
  type ImportFact,
  isOutlined,
  symbolName,
  type TogetherFile,
  type WhyCommit,
} from '../snapshot/index.ts';
import type { AboutInput } from './about-source.ts';
import type { Answer } from './answers.ts';
import { languageName } from './language-names.ts';
import { countOf } from './status-text.ts';

/** One line of a list. */
export interface FactRow {
  readonly ref: string;
  /** `ref` is a sentence, no name. */
  readonly prose?: true;
  /** A short word beside it: a line, a date. */
  readonly aside?: string;
  readonly why?: string;
  /** A longer text, folded; `key` tells it from others in the view. */
  readonly text?: { readonly key: string; readonly label: string; readonly body: string };
}

export interface FactList {
  /** Tells it from the other lists. */
  readonly key: string;
  readonly title: string;
  readonly rows: readonly FactRow[];
  /** The rest of the rows, or all of them, behind a label with their count. */
  readonly folded: { readonly label: string; readonly rows: readonly FactRow[] } | null;
  /** Sentences below: what is missing, and why. */
  readonly notes: readonly string[];
}

/** What is known of the active file. */
export interface AboutModel {
  readonly facts: readonly string[];
  /** What makes the facts doubtful, and where the file comes from. */
  readonly warnings: readonly string[];
  /** Automatic tags in force. */
  readonly tags: readonly string[];
  readonly lists: readonly FactList[];
}

/** Rows that are seen at once; the rest is folded. */
const SHOWN = 5;
const COMMITS_SHOWN = 3;
/** Rows of a list in all; more are counted. */
const MAX_ROWS = 200;
const ASKING = 'Asking git…';

/** What the view says of a file; every sentence of it is made here. */
export function aboutModel({ facts, symbol, automatic, imports, together, why }: AboutInput): AboutModel {
  const lists = [
    outlineList(facts),
    importList(facts, imports),
    importerList(facts, imports),
    listOf('types', 'Types it works with', typeRows(facts), { shown: 0 }),
    listOf('scope', 'Dependencies in scope', scopeRows(facts), { shown: 0 }),
    togetherList(together),
    whyList(symbol, why),
  ];
  return {
    facts: factWords(facts),
    warnings: warningsOf(facts),
    tags: automatic.map(({ key, value }) => `${key}: ${value}`),
    lists: lists.filter(({ rows, folded, notes }) => rows.length > 0 || folded !== null || notes.length > 0),
  };
}

function factWords({ language, outline }: FileFacts): readonly string[] {
  const name = languageName(language);
  if (outline === null) return [name];
  const symbols = countOf(outline.items.length + (outline.more ?? 0), 'symbol');
  return [`${name} · ${countOf(outline.lines, 'line')} · ${symbols}`];
}

function warningsOf({ language, outline, origin, degraded }: FileFacts): readonly string[] {
  const warnings: string[] = [];
  if (origin !== undefined) warnings.push(`${origin.kind === 'generated' ? 'Generated' : 'Vendored'}: ${origin.why}.`);
  if (outline?.stale === true) warnings.push('It does not parse at the moment: this is its last good outline.');
  else if (outline === null && isOutlined(language)) warnings.push('It has no outline at the moment.');
  else if (degraded.some((code) => code.startsWith('parse_error:'))) {
    warnings.push('It does not parse at the moment: the outline has what can be read of it.');
  }
  return warnings;
}

/** The first rows, the rest folded and counted. */
function listOf(
  key: string,
  title: string,
  all: readonly FactRow[],
  how: { readonly shown?: number; readonly notes?: readonly string[]; readonly more?: number },
): FactList {
  const { shown = SHOWN, notes = [], more = 0 } = how;
  const rows = all.slice(0, shown);
  const rest = all.slice(shown, MAX_ROWS);
  const beyond = Math.max(0, all.length - MAX_ROWS) + more;
  const label = shown === 0 ? `(${all.length + more})` : `${rest.length} more`;
  const folded = rest.length === 0 ? null : { label, rows: rest };
  return { key, title, rows, folded, notes: [...(beyond > 0 ? [`and ${beyond} more`] : []), ...notes] };
}

function outlineList({ outline }: FileFacts): FactList {
  const rows = (outline?.items ?? []).map((item) => ({
    ref: symbolName(item),
    aside: item.start === item.end ? `${item.start}` : `${item.start}–${item.end}`,
    why: item.signature ?? item.kind,
  }));
  return listOf('outline', 'Outline', rows, { shown: 0, more: outline?.more ?? 0 });
}

/** Files of the project, then its dependencies, then what is none of its own. */
function importList({ imports, degraded }: FileFacts, answer: Answer<FileImports> | null): FactList {
  const rank = ({ path, dependency }: ImportFact) => (path !== undefined ? 0 : dependency !== undefined ? 1 : 2);
  const rows = [...imports].sort((a, b) => rank(a) - rank(b)).map(importRow);
  // What is wrong with the file itself is said above.
  const codes = answer?.ok === true ? answer.value.degraded.filter((code) => !degraded.includes(code)) : [];
  return listOf('imports', 'Imports', rows, { notes: codes.map(describeDegraded) });
}

function importRow({ module, names, line, path, dependency }: ImportFact): FactRow {
  const aside = `line ${line}`;
  const taken = namesWords(names);
  if (path !== undefined) return { ref: path, aside, why: taken };
  if (dependency === undefined) return { ref: module, aside, why: joined([taken, 'not of this project']) };
  const { name, version, range, manifest } = dependency;
  const asked = range === undefined || range === version ? manifest : `${manifest} asks for ${range}`;
  return { ref: `${name} ${version}`, aside, why: joined([taken, asked]) };
}

/** What is known since the file was opened serves until the index has answered. */
function importerList({ language, importedBy = [] }: FileFacts, answer: Answer<FileImports> | null): FactList {
  const known = answer?.ok === true ? answer.value : null;
  const rows = (known?.importedBy ?? importedBy).map(({ path, line, names }) => ({
    ref: path,
    aside: `line ${line}`,
    why: namesWords(names),
  }));
  const notes: string[] = [];
  if (known?.index.complete === true && rows.length === 0 && isOutlined(language)) {
    notes.push('No file of the project does.');
  }
  if (known !== null && !known.index.complete) {
    const { indexed, files } = known.index;
    notes.push(`${grouped(indexed)} of ${grouped(files)} files are read so far, so there may be more.`);
  }
  if (answer?.ok === false) notes.push(messageOf(answer.error));
  return listOf('importers', 'Imported by', rows, { notes, more: known?.more ?? 0 });
}

function typeRows({ types = [] }: FileFacts): readonly FactRow[] {
  return types.map(({ name, path, items }) => {
    const members = items.length - 1;
    return { ref: name, why: joined([path, members > 0 ? countOf(members, 'member') : '']) };
  });
}

function scopeRows({ inScope = [] }: FileFacts): readonly FactRow[] {
  return inScope.map(({ name, version, manifest }) => ({ ref: `${name} ${version}`, why: manifest }));
}

function togetherList(answer: AboutInput['together']): FactList {
  const title = 'Changes together with';
  if (answer === null) return listOf('together', title, [], {});
  if (!answer.ok) return listOf('together', title, [], { notes: [messageOf(answer.error)] });
  return listOf('together', title, answer.value.map(togetherRow), {});
}

function togetherRow({ path, commits, of }: TogetherFile): FactRow {
  return { ref: path, why: `in ${commits} of the ${countOf(of, 'commit')} that changed this file` };
}

function whyList(symbol: string | null, answer: AboutInput['why']): FactList {
  const title = symbol === null ? 'Commits of this file' : `Commits of ${symbol}`;
  if (answer === null) return listOf('why', title, [], { notes: [ASKING] });
  if (!answer.ok) return listOf('why', title, [], { notes: [noHistory(answer.error)] });
  const { commits, more = 0, bounded } = answer.value;
  const notes = [
    ...(commits.length === 0 ? ['No commit has it yet: it is new since the last one.'] : []),
    ...(bounded === undefined ? [] : [describeBounded(bounded)]),
  ];
  return listOf('why', title, commits.map(commitRow), { shown: COMMITS_SHOWN, more, notes });
}

/** What is no failure but a fact is said as one. */
function noHistory(error: unknown): string {
  switch (codeOf(error)) {
    case 'no_git':
      return 'There is no history: this folder is in no repository, or git cannot be used here.';
    case 'no_history':
      return 'No commit has this file yet.';
    case 'no_symbol':
      return 'The file on disk does not have it yet.';
    default:
      return messageOf(error);
  }
}

function commitRow({ commit, subject, body, at, kinds, change, was, path, members }: WhyCommit): FactRow {
  const why = joined([
    change,
    kinds.join(', '),
    was === undefined ? '' : `was ${was}`,
    members === undefined ? '' : `in ${members.join(', ')}`,
    path === undefined ? '' : `file was ${path}`,
    commit.slice(0, 10),
  ]);
  const text = body === undefined ? {} : { text: { key: commit, label: 'Message', body } };
  return { ref: subject, prose: true, aside: at.slice(0, 10), why, ...text };
}

function namesWords(names: readonly string[]): string {
  return names.map((name) => (name === '*' ? 'everything' : name)).join(', ');
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function grouped(n: number): string {
  return n.toLocaleString('en');
}
