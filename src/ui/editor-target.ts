import { parseTarget, type Target } from '../snapshot/index.ts';

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

/** Something in the editor that a command is asked to work on. */
export interface Picked {
  /** Absolute path. */
  readonly file: string;
  readonly lines: LineRange | null;
}

/** What a command is called with, as far as its place in the menus tells. */
export interface CommandCall {
  /** The resource that was right-clicked, when there is one. */
  readonly resource: string | null;
  /** The explorer's whole selection, when there is one. */
  readonly selection: readonly string[];
  /** A tab was right-clicked: its whole file is meant, whatever is selected in it. */
  readonly tab: boolean;
  readonly editor: { readonly file: string; readonly range: EditorRange } | null;
}

/**
 * What a person means: the explorer's selection; a tab's file; in the text, the selected lines, else the file. From the
 * palette the active editor counts. Empty when nothing is meant.
 */
export function pickedBy({ resource, selection, tab, editor }: CommandCall): readonly Picked[] {
  if (selection.length > 0) return [...new Set(selection)].map((file) => ({ file, lines: null }));
  const file = resource ?? editor?.file ?? null;
  if (file === null) return [];
  const lines = !tab && editor?.file === file ? selectedLines(editor.range) : null;
  return [{ file, lines }];
}

/** A target of the protocol for a place in a project. `path` is `''` for the root of its working tree. */
export function targetAt(path: string, isDirectory: boolean, lines: LineRange | null): Target {
  if (path === '') return { kind: 'project' };
  if (isDirectory) return { kind: 'directory', path };
  return lines === null ? { kind: 'file', path } : { kind: 'lines', path, ...lines };
}

/**
 * Which marks a person may mean to remove when pointing at a target: the mark itself, else the marks on lines that
 * touch the pointed lines, else, for a whole file, the marks inside it.
 */
export function marksMeant(pointed: string, marked: readonly string[]): readonly string[] {
  if (marked.includes(pointed)) return [pointed];
  const place = parseTarget(pointed);
  return marked.filter((text) => touches(place, parseTarget(text)));
}

function touches(pointed: Target, marked: Target): boolean {
  if (pointed.kind === 'project' || marked.kind === 'project' || pointed.kind === 'directory') return false;
  if (pointed.path !== marked.path) return false;
  if (pointed.kind === 'file') return marked.kind === 'lines' || marked.kind === 'symbol';
  if (pointed.kind === 'lines') {
    return marked.kind === 'lines' && pointed.start <= marked.end && marked.start <= pointed.end;
  }
  return false;
}
