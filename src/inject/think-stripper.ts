/** Starts of reasoning that MiniMax models put into the visible text: the documented tag and M3's own (contract page §2.1). */
const OPENERS = ['<think>', '<mm:think>'] as const;
const CLOSERS = ['</think>', '</mm:think>'] as const;
/** Removed wherever they stand alone: closers without an opener and the raw tool marker seen in several hosts. */
const STRAYS = [...CLOSERS, ']<]minimax[>['] as const;
const OUTSIDE = [...OPENERS, ...STRAYS] as const;

interface Found {
  readonly at: number;
  readonly marker: string;
}

function first(text: string, markers: readonly string[]): Found | null {
  let found: Found | null = null;
  for (const marker of markers) {
    const at = text.indexOf(marker);
    if (at >= 0 && (found === null || at < found.at)) found = { at, marker };
  }
  return found;
}

/** Length of the longest end of `text` that may be the beginning of a marker whose rest has not arrived. */
function unfinished(text: string, markers: readonly string[]): number {
  const longest = Math.max(...markers.map((marker) => marker.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (markers.some((marker) => marker.startsWith(end))) return length;
  }
  return 0;
}

/**
 * Removes reasoning blocks and leaked markers from a text that arrives in pieces, cut anywhere.
 * What comes out, pieces joined, is what stripping the whole text would give; a block that is never closed is dropped to the end.
 */
export class ThinkStripper {
  #held = '';
  #thinking = false;

  /** Takes the next piece and gives the text that is certainly visible. */
  push(piece: string): string {
    this.#held += piece;
    let visible = '';
    for (;;) {
      const markers = this.#thinking ? CLOSERS : OUTSIDE;
      const found = first(this.#held, markers);
      if (found === null) {
        const keep = this.#held.length - unfinished(this.#held, markers);
        if (!this.#thinking) visible += this.#held.slice(0, keep);
        this.#held = this.#held.slice(keep);
        return visible;
      }
      if (!this.#thinking) visible += this.#held.slice(0, found.at);
      this.#held = this.#held.slice(found.at + found.marker.length);
      this.#thinking = !this.#thinking && (OPENERS as readonly string[]).includes(found.marker);
    }
  }

  /** Ends the text and gives what was held back because it looked like the beginning of a marker. */
  end(): string {
    const rest = this.#thinking ? '' : this.#held;
    this.#held = '';
    return rest;
  }
}
