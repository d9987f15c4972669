import { readFileSync } from 'node:fs';
import { waitFor } from '../../support/wait.ts';

/** One line of what the extension reports: when (wall milliseconds), what, and its particulars. */
export interface Observation {
  readonly t: number;
  readonly event: string;
  readonly [field: string]: unknown;
}

export type Matcher = string | ((observation: Observation) => boolean);

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * What the extension writes to the file that `PROJECT_ANCHOR_TEST_LOG` names: the order of events, where the window shows
 * only their result.
 */
export class ObservationLog {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** All that was reported so far; a line that is still being written is left for later. */
  entries(): Observation[] {
    const lines = readOrEmpty(this.file).split('\n').slice(0, -1);
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Observation);
  }

  /** The place after the last entry, for `from`: what comes later only. */
  mark(): number {
    return this.entries().length;
  }

  /** Entries with a name, or that a function accepts, from a place on. */
  matching(matcher: Matcher, from = 0): Observation[] {
    const matches = typeof matcher === 'string' ? ({ event }: Observation) => event === matcher : matcher;
    return this.entries().slice(from).filter(matches);
  }

  /** Waits for the first matching entry from a place on. */
  async wait(matcher: Matcher, options: { from?: number; timeoutMs?: number } = {}): Promise<Observation> {
    const { from = 0, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    return waitFor(() => this.matching(matcher, from)[0], {
      timeoutMs,
      what: () => {
        const seen = this.entries().slice(from);
        return `${matcher} in the extension's log; it has: ${seen.map(({ event }) => event).join(', ') || 'nothing'}`;
      },
    });
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
