import { ProjectAnchorError } from '../../base/index.ts';
import { plural } from './text.ts';

/** What ends a line, as editors and outlines count them. */
const LINE_END = /\r\n|\r|\n/g;

/** A text by its lines. A line end at the very end begins no further line, but leaves an empty place behind the last. */
export class TextLines {
  readonly #text: string;
  /** Offsets of every place a cursor's line can have, as [start, end without its line end]. */
  readonly #places: readonly (readonly [start: number, end: number])[];

  constructor(text: string) {
    const places: [number, number][] = [];
    let start = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      places.push([start, index]);
      start = index + end.length;
    }
    this.#text = text;
    this.#places = [...places, [start, text.length]];
  }

  /** How many lines there are, as an outline says; 0 in an empty text. */
  get count(): number {
    return this.#endsEmpty ? this.#places.length - 1 : this.#places.length;
  }

  /** The text up to the end of a 1-based line, and what is behind it, its line end included. */
  around(line: number): { readonly prefix: string; readonly suffix: string } {
    const end = this.#places[line - 1]?.[1] ?? this.#text.length;
    return { prefix: this.#text.slice(0, end), suffix: this.#text.slice(end) };
  }

  /** The text of 1-based lines, both ends included, with the line ends between them. */
  between(start: number, end: number): string {
    return this.#text.slice(this.#places[start - 1]?.[0] ?? this.#text.length, this.#places[end - 1]?.[1]);
  }

  /**
   * Refuses lines to mark that the text does not have.
   * @throws ProjectAnchorError `invalid`
   */
  demandLines(path: string, end: number): void {
    if (end <= this.count) return;
    const remedy = this.count === 0 ? 'Mark the whole file.' : `Give lines up to ${this.count}.`;
    throw new ProjectAnchorError('invalid', `${path} has ${this.#words}.`, remedy);
  }

  /**
   * Refuses a line that no cursor can stand on. It may stand in the empty place at the end, which is no line to mark.
   * @throws ProjectAnchorError `invalid`
   */
  demandCursor(path: string, line: number): void {
    const last = this.#places.length;
    if (line <= last) return;
    const where = this.#endsEmpty ? `, ${last} being the empty place at the end, where a cursor may stand` : '';
    throw new ProjectAnchorError('invalid', `${path} has ${this.#words}.`, `Give a line up to ${last}${where}.`);
  }

  get #words(): string {
    return this.count === 0 ? 'no lines' : plural(this.count, 'line');
  }

  get #endsEmpty(): boolean {
    const last = this.#places.at(-1);
    return last !== undefined && last[0] === this.#text.length;
  }
}
