/** A selection as an editor has it: 0-based lines and characters, the end exclusive. */
export interface EditorRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** 1-based, inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines a selection covers, or null when it is empty. A selection that ends before the first character of a line
 * does not cover that line: that is how whole lines are selected.
 */
export function selectedLines({ start, end }: EditorRange): LineRange | null {
  if (start.line === end.line && start.character === end.character) return null;
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { start: start.line + 1, end: last + 1 };
}
