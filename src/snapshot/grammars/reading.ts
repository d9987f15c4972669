import type { Parser } from '@vscode/tree-sitter-wasm';
import type { ImportSite } from '../imports.ts';
import { ImportSites } from '../imports.ts';
import { OutlineItems } from '../outline-items.ts';
import { limitOutline } from '../outline-limit.ts';
import { Lines } from '../parser.ts';
import type { LanguageRules, SyntaxNode } from './language.ts';
import { Recovery } from './recovery.ts';
import type { GrammarRead } from './types.ts';
import { textIn, Walker } from './walker.ts';

/** Reads one text with a parser of its language. */
export function readText(parser: Parser, language: LanguageRules, id: string, given: string): GrammarRead {
  const text = plain(given);
  const tree = parser.parse(text);
  if (tree === null) throw new Error('tree-sitter gave no tree');
  try {
    const root = tree.rootNode;
    const lines = new Lines(text);
    const items = new OutlineItems(lines);
    const change = language.finish?.(root, textIn(text)) ?? null;
    const known = new Walker(text, language, change).collect(root);
    const found = root.hasError ? new Recovery([parser, language], text, root, known, change).declarations() : known;
    for (const declared of found) items.add(declared);
    const outline = limitOutline({ language: id, lines: lines.count, items: items.inOrder() });
    return { outline, imports: importsOf(root, text, language), clean: !root.hasError };
  } finally {
    tree.delete();
  }
}

/** Without the byte order mark; grammars know CR only as a part of CRLF. Nothing moves. */
function plain(text: string): string {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return source.includes('\r') ? source.replace(/\r(?!\n)/g, '\n') : source;
}

function importsOf(root: SyntaxNode, text: string, { imports, importStart }: LanguageRules): readonly ImportSite[] {
  const sites = new ImportSites(text);
  const textOf = textIn(text);
  for (const node of root.descendantsOfType([...imports.keys()])) {
    if (node === null) continue;
    if (importStart?.test(text.slice(node.startIndex, node.startIndex + 20)) === false) continue;
    const found = imports.get(node.type)?.(node, textOf) ?? [];
    for (const each of [found].flat()) if (each.module !== '') sites.add(node.startIndex, each);
  }
  return sites.inOrder();
}
