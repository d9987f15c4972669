import type { Parser } from '@vscode/tree-sitter-wasm';
import type { LanguageRules } from './language.ts';

/** The 1-based lines of all decisions in a text, one entry for each: what makes a function more complex. */
export function decisionsOf(parser: Parser, { branches }: LanguageRules, given: string): readonly number[] {
  // Grammars know CR only as a part of CRLF.
  const tree = parser.parse(given.replace(/\r(?!\n)/g, '\n'));
  if (tree === null) throw new Error('tree-sitter gave no tree');
  try {
    const found = tree.rootNode.descendantsOfType([...branches]);
    return found.flatMap((node) => (node === null ? [] : [node.startPosition.row + 1]));
  } finally {
    tree.delete();
  }
}
