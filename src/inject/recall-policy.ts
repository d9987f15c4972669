import { symbolName } from '../snapshot/index.ts';
import { placeOf } from './paths.ts';
import type { InjectRequest, ProjectView } from './types.ts';

/** `projectAnchor.powercontext.recall`. */
export type RecallMode = 'auto' | 'always' | 'never';

export interface RecallNeed {
  readonly needed: boolean;
  /** For the log and the context view. */
  readonly why: string;
}

/** Questions about the past or a reason, in words that rarely stand in a question about the code as it is. */
const ENGLISH =
  /\b(?:why|how come|what for|reasons?|rationale|motivat\w+|justif\w+|decid\w+|decisions?|agreed?|agreement|chose|chosen|choice|trade-?offs?|originally|historical\w*|history|previous(?:ly)?|earlier|formerly|used to|last (?:time|week|month|year|sprint|release)|yesterday|\w+ ago|back then|in the past|remember(?:ed)?|recall(?:ed)?|so far|who (?:wrote|added|changed|decided|asked|wanted|made)|when (?:did|was|were)|did we|have we|had we|were we|was (?:it|this|that) (?:ever|always|meant|supposed|intended)|meant to|supposed to|intention\w*|intended|background|instead of|rejected|discuss\w*|before (?:we|the (?:change|refactor\w*|rewrite|migration|release)))\b|\bbefore\s*\?/iu;

/** The same in Chinese, where words are not parted. */
const CHINESE =
  /为什么|为何|为啥|干嘛|怎么会|何以|原因|理由|缘由|缘故|依据|初衷|目的是|动机|背景|决定|决策|选择了|选了|取舍|权衡|考虑过|讨论|商量|约定|当初|当时|以前|之前|从前|过去|早先|原来|原先|最初|起初|一开始|历史|曾经|上次|上周|上个?月|去年|昨天|前几天|还记得|记得|谁(?:写|改|加|决定|要求|提出)|什么时候|何时|而不用|而不是|不采用/u;

/** Whether a question is about the past or a reason. */
export function asksForHistory(question: string): boolean {
  return ENGLISH.test(question) || CHINESE.test(question);
}

/** Words of questions and of programming in general: that they are known says nothing about a question. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'about add all and any are argument arguments array async await bool boolean can case change class code const could does doing ' +
    'else enum error example explain export extend false file files find fix for from function functions get give has have here how ' +
    'implement import int into interface item its let line lines list make mean means method methods module new null number object ' +
    'one parameter parameters please project property public refactor return returns says see set should show some static string ' +
    'test tests that the them then there these they thing this those true type types undefined use used uses using value values ' +
    'variable void want was what when where which while who will with work works would write you your'
  ).split(' '),
);

/** Longest text that is searched for words; a question says what it wants in less. */
const SEARCHED = 8_000;

/** Words of a text: names taken apart at case and underscores, two-character pieces of Chinese. */
export function termsOf(text: string): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const [word] of text.slice(0, SEARCHED).matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (/\p{Script=Han}/u.test(word)) {
      const characters = [...word];
      for (let at = 0; at + 1 < characters.length; at++) terms.add(`${characters[at]}${characters[at + 1]}`);
      continue;
    }
    const parts = word.split(/[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    for (const part of [word, ...parts]) {
      const term = part.toLowerCase();
      if (term.length >= 3 && !COMMON.has(term) && !/^\d+$/.test(term)) terms.add(term);
    }
  }
  return terms;
}

function addAll(known: Set<string>, texts: Iterable<string>): void {
  for (const text of texts) for (const term of termsOf(text)) known.add(term);
}

/** Every word that the snapshot knows: names in outlines, paths, dependencies, marks, branch and last commit. */
function snapshotTerms(view: ProjectView): ReadonlySet<string> {
  const known = new Set<string>();
  const { workspaces = {}, tags = {}, focus = {} } = view.state;
  const own = workspaces[view.workspace];
  const outlines = { ...own?.outlines, ...(view.facts?.outline ? { [view.facts.path]: view.facts.outline } : {}) };
  addAll(known, Object.keys(outlines));
  for (const outline of Object.values(outlines)) addAll(known, outline.items.map(symbolName));
  for (const { module, names, path } of view.facts?.imports ?? []) addAll(known, [module, ...names, path ?? '']);
  for (const { direct } of Object.values(own?.dependencies ?? {})) addAll(known, Object.keys(direct));
  addAll(known, [...Object.keys(focus), ...Object.keys(tags)]);
  for (const slots of Object.values(tags)) {
    for (const [key, { set, auto }] of Object.entries(slots)) addAll(known, [key, set?.value ?? '', auto?.value ?? '']);
  }
  addAll(known, [own?.git?.head.branch ?? '', own?.git?.lastCommit?.subject ?? '']);
  return known;
}

/** What a request is about in its own words, without the file's text. */
function aboutOf(request: InjectRequest): string {
  switch (request.type) {
    case 'completion':
      return '';
    case 'explain':
      return `${request.question ?? ''}\n${request.selection}`;
    case 'chat':
      return request.question;
  }
}

/** A completion asks nothing in words: its file is what the snapshot knows or not. */
function fileIsKnown(request: InjectRequest, view: ProjectView): boolean {
  const place = placeOf(view.toplevel, request.file);
  if (place.kind !== 'inside') return true;
  const outlines = view.state.workspaces?.[view.workspace]?.outlines ?? {};
  return (view.facts?.outline ?? null) !== null || Object.hasOwn(outlines, place.path);
}

/**
 * Whether memory is asked for a request: when the person says always; otherwise when the question is about the past or a reason,
 * or when nothing in the snapshot matches what the request is about.
 */
export function recallNeed(request: InjectRequest, view: ProjectView, mode: RecallMode): RecallNeed {
  if (mode === 'never') return { needed: false, why: 'the setting says never' };
  if (mode === 'always') return { needed: true, why: 'the setting says always' };
  if (request.type === 'completion') {
    return fileIsKnown(request, view)
      ? { needed: false, why: 'the snapshot knows this file' }
      : { needed: true, why: 'the snapshot knows nothing about this file' };
  }
  if (asksForHistory(request.question ?? '')) {
    return { needed: true, why: 'the question is about the past or a reason' };
  }
  const terms = termsOf(aboutOf(request));
  const known = snapshotTerms(view);
  if (terms.size === 0 || [...terms].some((term) => known.has(term))) {
    return { needed: false, why: 'the snapshot has what the request is about' };
  }
  return { needed: true, why: 'nothing in the snapshot matches' };
}
