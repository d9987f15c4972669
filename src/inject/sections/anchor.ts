import { posix, win32 } from 'node:path';
import { oneLine, quoted } from '../fence.ts';
import { Rank, type Scene, type Section } from './section.ts';

/** How many languages are named; the rest of a project is rarely written in. */
const LANGUAGES = 3;

/** Which project this is: the most stable line there is. */
export function anchorSection({ view }: Scene): Section {
  const { anchor, toplevel, workspace } = view;
  const url = anchor.repository.startsWith('https://') ? anchor.repository : null;
  const name = url === null ? win32.basename(posix.basename(toplevel)) : (url.split('/').at(-1) ?? url);
  const parts = [
    `Project ${oneLine(name)}${url === null ? '' : ` (${oneLine(url)})`}`,
    `main branch ${quoted(anchor.mainBranch)}`,
  ];
  const languages = mainLanguages(view.state.workspaces?.[workspace]?.files?.byLanguage ?? {});
  if (languages.length > 0) parts.push(`written mostly in ${languages.map(oneLine).join(', ')}`);
  return {
    items: [
      {
        kind: 'anchor',
        ref: '.',
        why: 'which project this is',
        text: parts.join(', '),
        rank: Rank.anchor,
        core: true,
        paths: [],
      },
    ],
  };
}

function mainLanguages(byLanguage: Readonly<Record<string, number>>): string[] {
  return Object.entries(byLanguage)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, LANGUAGES)
    .map(([language]) => language);
}
