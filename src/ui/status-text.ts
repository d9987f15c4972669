import type { HubStatus } from '../delta/index.ts';
import { describeDegraded, type GitHead } from '../snapshot/index.ts';
import type { Notice, NoticeSource } from './notices.ts';

/** What the status bar item is about. */
export type StatusInput =
  | { readonly kind: 'restricted' }
  | { readonly kind: 'no-folder' }
  /** A file, in a window without folders, that no repository is around. */
  | { readonly kind: 'no-repository' }
  | { readonly kind: 'starting'; readonly project: string }
  | { readonly kind: 'failed'; readonly project: string; readonly sentence: string }
  | ReadyStatus;

export interface ReadyStatus {
  readonly kind: 'ready';
  readonly project: string;
  readonly head: GitHead | undefined;
  readonly marks: number;
  readonly hub: HubStatus;
  /** What a person should know, newest; null when all is well. */
  readonly notice: Notice | null;
  /** Why the repository is not watched; null when it is. */
  readonly watching: string | null;
  /** Codes of the latest snapshot. */
  readonly degraded: readonly string[];
  /** The active file is in no project of the window. */
  readonly outside: boolean;
}

export interface StatusText {
  /** With `$(icon)` codes. */
  readonly text: string;
  /** For screen readers, without icons. */
  readonly label: string;
  /** Paragraphs of plain text: what is so, then what to do. */
  readonly tooltip: readonly string[];
  readonly severity: 'normal' | 'warning' | 'error';
}

/** Of a file in no folder of the window. */
export const OUTSIDE = 'The active file is in no project of this window, so requests about it carry no context.';

const OPEN = 'Click to see what models are told about this project.';

/** A branch or project name is shown whole in the tooltip; the item itself stays short. */
const NAME_WIDTH = 32;

function short(name: string): string {
  const points = [...name];
  return points.length <= NAME_WIDTH ? name : `${points.slice(0, NAME_WIDTH - 1).join('')}…`;
}

/** `$(` would start an icon in the item's text. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}

/** A number with its noun: `1 mark`, `3 marks`. */
export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** Where HEAD is, in words. */
export function headWords(head: GitHead | undefined): string {
  switch (head?.kind) {
    case 'branch':
      return head.branch ?? 'branch';
    case 'detached':
      return `detached at ${head.commit?.slice(0, 8) ?? '?'}`;
    case 'unborn':
      return `${head.branch ?? 'branch'} (no commits yet)`;
    case 'none':
      return 'no repository';
    case undefined:
      return 'no snapshot yet';
  }
}

interface SyncWords {
  readonly icon: string;
  readonly word: string;
  readonly sentence: string;
  readonly severity: StatusText['severity'];
}

/** How this window is connected, for the item, the tooltip and the context view. */
export function syncWords(hub: HubStatus): SyncWords {
  const others = Math.max(0, (hub.agents ?? 1) - 1);
  const waiting = hub.waiting > 0 ? ` ${countOf(hub.waiting, 'change')} waiting to be written.` : '';
  switch (hub.kind) {
    case 'alone':
      return {
        icon: '$(circle-large-outline)',
        word: 'alone',
        sentence: `Changes are kept in the log of this machine; no hub answers yet.${waiting} Nothing to do.`,
        severity: 'normal',
      };
    case 'hub':
    case 'connected': {
      const company = others === 0 ? 'No other agent is connected' : `${countOf(others, 'other agent')} connected`;
      const role =
        hub.kind === 'hub' ? 'This window runs the hub of this machine.' : 'Connected to the hub of this machine.';
      return {
        icon: '$(check)',
        word: others === 0 ? 'in sync' : `in sync, ${countOf(others, 'other')}`,
        sentence: `${role} ${company}.${waiting}`,
        severity: 'normal',
      };
    }
    case 'offline':
      return {
        icon: '$(sync)',
        word: hub.waiting > 0 ? `offline, ${hub.waiting} waiting` : 'offline',
        sentence: `The hub does not answer; trying again. Changes are kept in the log of this machine.${waiting}`,
        severity: 'normal',
      };
    case 'memory':
      return {
        icon: '$(warning)',
        word: 'not saved',
        sentence: hub.reason ?? 'The database cannot be used: marks last until this window closes. See the log.',
        severity: 'warning',
      };
    case 'refused':
      return {
        icon: '$(warning)',
        word: 'refused',
        sentence: hub.reason ?? 'The hub refused this window. See the log.',
        severity: 'warning',
      };
  }
}

/** The status bar item: project, branch, marks and how it is connected, with a tooltip that says what to do. */
export function statusText(input: StatusInput): StatusText {
  switch (input.kind) {
    case 'restricted':
      return {
        text: '$(shield) ProjectAnchor',
        label: 'ProjectAnchor: restricted',
        tooltip: [
          'Restricted: this folder is not trusted, so ProjectAnchor starts nothing here: no worker, no git, no hub and no request.',
          'To use it, run "Workspaces: Manage Workspace Trust" and trust the folder.',
        ],
        severity: 'normal',
      };
    case 'no-folder':
      return {
        text: '$(pin) ProjectAnchor',
        label: 'ProjectAnchor: no folder open',
        tooltip: ['No folder is open.', 'Open a folder to give models an understanding of its project.'],
        severity: 'normal',
      };
    case 'no-repository':
      return {
        text: '$(pin) ProjectAnchor',
        label: 'ProjectAnchor: this file is in no repository',
        tooltip: [
          'This file is in no folder of this window and in no repository, so models are told nothing about it.',
          'Open the folder of its project.',
        ],
        severity: 'normal',
      };
    case 'starting':
      return {
        text: `$(loading~spin) ${withoutIcons(short(input.project))}`,
        label: `ProjectAnchor: ${input.project}, starting`,
        tooltip: [`Reading ${input.project}…`],
        severity: 'normal',
      };
    case 'failed':
      return {
        text: `$(error) ${withoutIcons(short(input.project))}`,
        label: `ProjectAnchor: ${input.project}, error. ${input.sentence}`,
        tooltip: [input.sentence, 'Click for the context view, or run "ProjectAnchor: Show Log" for details.'],
        severity: 'error',
      };
    case 'ready':
      return readyText(input);
  }
}

/** What the item says in place of how it is connected, while there is a notice. */
const NOTICE_WORDS: Readonly<Record<NoticeSource, Pick<SyncWords, 'icon' | 'word' | 'severity'>>> = {
  completions: { icon: '$(warning)', word: 'no completions', severity: 'warning' },
  refused: { icon: '$(lock)', word: 'nothing sent', severity: 'normal' },
  snapshot: { icon: '$(warning)', word: 'no snapshot', severity: 'warning' },
  settings: { icon: '$(warning)', word: 'check settings', severity: 'warning' },
};

/** What could not be read, in the tooltip; the context view has the rest. */
const DEGRADED_SHOWN = 3;

function degradedSentences(codes: readonly string[]): readonly string[] {
  const more = codes.length - DEGRADED_SHOWN;
  return [
    ...codes.slice(0, DEGRADED_SHOWN).map(describeDegraded),
    ...(more > 0 ? [`${countOf(more, 'more thing')} could not be read.`] : []),
  ];
}

function readyText({ project, head, marks, hub, notice, watching, degraded, outside }: ReadyStatus): StatusText {
  const sync = syncWords(hub);
  const { icon, word, severity } = notice === null ? sync : NOTICE_WORDS[notice.source];
  const facts = [headWords(head), countOf(marks, 'mark')];
  return {
    text: [
      `$(pin) ${withoutIcons(short(project))}`,
      `$(git-branch) ${withoutIcons(short(headWords(head)))}`,
      `$(bookmark) ${marks}`,
      `${icon} ${word}`,
    ].join('  '),
    label: `ProjectAnchor: ${[project, ...facts, word].join(', ')}${notice === null ? '' : `. ${notice.sentence}`}`,
    tooltip: [
      ...(notice === null ? [] : [notice.sentence]),
      `${project}: ${facts.join(', ')}.`,
      sync.sentence,
      ...(outside ? [OUTSIDE] : []),
      ...(watching === null ? [] : [watching]),
      ...degradedSentences(degraded),
      ...(marks === 0
        ? ['To tell models what matters, right-click a file or a selection: "Mark as Context Focus".']
        : []),
      OPEN,
    ],
    // A database that cannot be used stays the worse news.
    severity: sync.severity === 'normal' ? severity : sync.severity,
  };
}
