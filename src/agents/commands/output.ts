import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { codeOf } from '../../base/index.ts';
import { type Palette, palette } from './text.ts';

/** Thrown when the reader of the output went away, as `head` does: the command ends quietly. */
export class OutputClosed extends Error {}

/** Where a command writes its result: JSON for programs or text for people, never faster than the reader takes it. */
export class Output {
  readonly json: boolean;
  readonly style: Palette;
  readonly #stream: Writable;
  readonly #closed: AbortController;

  /** `closed` is aborted when the reader goes away, so that a command that waits for something ends too. */
  constructor(stream: Writable, options: { json: boolean; colours: boolean; closed: AbortController }) {
    this.json = options.json;
    this.style = palette(options.colours);
    this.#stream = stream;
    this.#closed = options.closed;
  }

  /** One line, with its line break. Resolves when the reader keeps up. */
  async line(text = ''): Promise<void> {
    await this.#write(`${text}\n`);
  }

  async lines(texts: readonly string[]): Promise<void> {
    if (texts.length > 0) await this.#write(`${texts.join('\n')}\n`);
  }

  /** One JSON document on a line of its own. */
  async document(value: unknown): Promise<void> {
    await this.#write(`${JSON.stringify(value)}\n`);
  }

  /** Many lines, written in pieces of about 64 KiB. */
  async stream(texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    let piece = '';
    for await (const text of texts) {
      piece += text.endsWith('\n') ? text : `${text}\n`;
      if (piece.length < 65_536) continue;
      await this.#write(piece);
      piece = '';
    }
    if (piece !== '') await this.#write(piece);
  }

  async #write(text: string): Promise<void> {
    if (this.#closed.signal.aborted && this.#closed.signal.reason instanceof OutputClosed)
      throw this.#closed.signal.reason;
    if (this.#stream.write(text)) return;
    await once(this.#stream, 'drain', { signal: this.#closed.signal }).catch((error: unknown) => {
      const { reason } = this.#closed.signal;
      throw reason instanceof OutputClosed ? reason : error;
    });
  }
}

/** Turns a broken pipe of the stream into an abort; any other error of it too, with the error itself as the reason. */
export function watchForClosing(stream: Writable): AbortController {
  const closed = new AbortController();
  stream.on('error', (error) => {
    const gone = codeOf(error) === 'EPIPE' || codeOf(error) === 'ERR_STREAM_DESTROYED';
    closed.abort(gone ? new OutputClosed() : error);
  });
  return closed;
}
