import type { GrammarParser, GrammarRead } from '../../src/snapshot/grammars/index.ts';

/** One line per item: lines, kind, full name, `*` when exported, signature. */
export function rowsOf({ outline }: GrammarRead): string[] {
  return outline.items.map(({ start, end, kind, name, of, exported, signature }) => {
    const full = of === undefined ? name : `${of}.${name}`;
    return `${start}-${end} ${kind} ${full}${exported === true ? '*' : ''} | ${signature ?? ''}`;
  });
}

/** One line per import: line, module, names, and what is passed on. */
export function importRowsOf({ imports }: GrammarRead): string[] {
  return imports.map(({ line, module, names, passedOn }) => {
    const passed = passedOn === undefined ? '' : ` -> ${[...passedOn].map((each) => each.join('=')).join(' ')}`;
    return `${line} ${module} ${names.join(',')}${passed}`;
  });
}

/** Both for texts of one language. */
export function rowReader(parser: GrammarParser, language: string) {
  const read = (text: string) => parser.read(`a.${language}`, text, language);
  return {
    rows: async (text: string) => rowsOf(await read(text)),
    imports: async (text: string) => importRowsOf(await read(text)),
    read,
  };
}
