import type { LanguageVariant, SyntaxKind } from 'typescript';
import type { TypeScript } from './parser.ts';
import { COMMENT, type Cut } from './signature-text.ts';

/** A text with what it takes to read its tokens again: trees have neither comments nor most tokens. */
export interface Scannable {
  readonly ts: TypeScript;
  readonly text: string;
  readonly variant: LanguageVariant;
}

/**
 * Comments from `start` to `end`. The text is looked through, and the values in it are stepped over: what they hold may
 * look like anything.
 */
export function commentsWithin(
  { ts, text, variant }: Scannable,
  start: number,
  end: number,
  values: readonly Cut[],
): Cut[] {
  if (!/\/[/*]/.test(text.slice(start, end))) return [];
  const { SyntaxKind: kind } = ts;
  const ends = new Map(values.map((value) => [value.start, value.end]));
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, variant, text, undefined, start);
  const found: Cut[] = [];
  /** How many braces are open in each template that is open. */
  const templates: number[] = [];
  for (let token = scanner.scan(); token !== kind.EndOfFileToken; token = scanner.scan()) {
    const at = scanner.getTokenStart();
    if (at >= end) break;
    const behind = ends.get(at);
    if (behind !== undefined && behind > at) {
      scanner.resetTokenState(behind);
      continue;
    }
    const braces = templates.at(-1);
    if (token === kind.SingleLineCommentTrivia || token === kind.MultiLineCommentTrivia) {
      found.push({ start: at, end: scanner.getTokenEnd(), text: COMMENT });
    } else if (token === kind.TemplateHead) templates.push(0);
    else if (braces !== undefined && token === kind.OpenBraceToken) templates.splice(-1, 1, braces + 1);
    else if (braces !== undefined && token === kind.CloseBraceToken) {
      if (braces > 0) templates.splice(-1, 1, braces - 1);
      else if (scanner.reScanTemplateToken(false) === kind.TemplateTail) templates.pop();
    }
  }
  return found;
}

/** Where the first token of a kind begins from an offset on, up to `end`; negative when there is none. */
export function tokenStart({ ts, text, variant }: Scannable, kind: SyntaxKind, from: number, end: number): number {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, variant, text, undefined, from);
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (scanner.getTokenStart() >= end) return -1;
    if (token === kind) return scanner.getTokenStart();
  }
  return -1;
}
