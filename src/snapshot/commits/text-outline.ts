import { codeOf } from '../../base/index.ts';
import { isOutlined, languageOf } from '../languages.ts';
import type { Parser } from '../parser.ts';
import { outlineOfTree } from '../tree-outline.ts';
import type { OutlineOfText } from './commit-symbols.ts';

/** Outlines of texts that are on no disk: old versions of files. Text that does not parse has none. */
export function textOutline(parser: Parser): OutlineOfText {
  return async (path, text) => {
    const language = languageOf(path);
    if (language === undefined || !isOutlined(language)) return null;
    try {
      return outlineOfTree(await parser.tree(path, text), language);
    } catch (error) {
      // Nested deeper than the stack allows.
      if (error instanceof RangeError || codeOf(error) === 'parse_error' || codeOf(error) === 'parse_timeout')
        return null;
      throw error;
    }
  };
}
