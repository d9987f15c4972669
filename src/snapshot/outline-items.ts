import type { Lines } from './parser.ts';
import type { OutlineItem, OutlineKind } from './types.ts';

/** A declaration as a tree has it. Positions are UTF-16 offsets into the text. */
export interface Declared {
  readonly kind: OutlineKind;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Empty for none. */
  readonly signature: string;
  readonly exported: boolean;
  /** Full name of what encloses it. */
  readonly of: string | undefined;
}

/** The items of one file while they are collected. */
export class OutlineItems {
  readonly #lines: Lines;
  readonly #items: OutlineItem[] = [];

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  /** How many there are so far. */
  get count(): number {
    return this.#items.length;
  }

  /** The full name of the item that was added as number `index`, from 0; undefined when there is none. */
  fullName(index: number): string | undefined {
    const item = this.#items[index];
    return item === undefined ? undefined : fullNameOf(item.of, item.name);
  }

  /** Lets an item end where another offset is. */
  endAt(index: number, offset: number): void {
    const item = this.#items[index];
    if (item === undefined) return;
    this.#items[index] = { ...item, end: Math.max(item.start, this.#lines.at(Math.max(0, offset - 1))) };
  }

  /** @returns the full name, which its members are `of` */
  add({ kind, name, start, end, signature, exported, of }: Declared): string {
    this.#items.push({
      kind,
      name,
      start: this.#lines.at(start),
      end: this.#lines.at(Math.max(start, end - 1)),
      ...(signature === '' ? {} : { signature }),
      ...(exported ? { exported: true as const } : {}),
      ...(of === undefined ? {} : { of }),
    });
    return fullNameOf(of, name);
  }

  /** By the line that they start on, else in the order that they were added. */
  inOrder(): readonly OutlineItem[] {
    return this.#items.toSorted((a, b) => a.start - b.start);
  }
}

function fullNameOf(of: string | undefined, name: string): string {
  return of === undefined ? name : `${of}.${name}`;
}
