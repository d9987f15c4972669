import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openProjectSession } from '../../src/agents/index.ts';
import type { ProjectSession } from '../../src/agents/session-types.ts';
import { type Clock, silentLogger } from '../../src/base/index.ts';
import { createLogService } from '../../src/delta/index.ts';
import { createSnapshotService } from '../../src/snapshot/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { GitSandbox } from './git-repo.ts';
import { WORDS } from './words.ts';

/** A day of work on a code base of a size. */
export interface Day {
  readonly files: number;
  readonly switches: number;
  readonly commits: number;
  readonly marks: number;
}

const VERBS = ['load', 'save', 'find', 'merge', 'parse', 'render', 'resolve', 'send', 'update', 'validate'] as const;
const TYPES = [
  'string',
  'number',
  'boolean',
  'readonly string[]',
  'Options',
  'Map<string, number>',
  'AbortSignal',
] as const;
/** Files of one folder. */
const PER_FOLDER = 15;
/** Editors that a person keeps open. */
const OPEN = 6;
/** Lines of a file, on average. */
export const LINES_PER_FILE = 80;

/** Numbers that look random and are the same on every machine (Numerical Recipes). */
class Numbers {
  #state = 20_261_130;

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** A person at work: a repository, and the session of an editor over a real store and log. */
export class WorkingDay {
  readonly repo: GitSandbox;
  readonly store: Store;
  readonly session: ProjectSession;
  readonly #clock: HurriedClock;
  readonly #close: () => Promise<void>;
  readonly #numbers = new Numbers();
  readonly #paths: readonly string[];
  #open: string[] = [];

  private constructor(parts: {
    repo: GitSandbox;
    store: Store;
    session: ProjectSession;
    clock: HurriedClock;
    close: () => Promise<void>;
    paths: readonly string[];
  }) {
    this.repo = parts.repo;
    this.store = parts.store;
    this.session = parts.session;
    this.#clock = parts.clock;
    this.#close = parts.close;
    this.#paths = parts.paths;
  }

  /** Makes the code base and takes the first snapshot. */
  static async begin(root: string, { files }: Pick<Day, 'files'>): Promise<WorkingDay> {
    const repo = GitSandbox.init(join(root, 'app'));
    repo.git('remote', 'add', 'origin', 'https://example.invalid/team/app.git');
    const numbers = new Numbers();
    const paths = Array.from({ length: files }, (_, n) => {
      const path = pathOf(n, numbers);
      const file = join(repo.root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, sourceOf(n, numbers));
      return path;
    });
    repo.write('package.json', MANIFEST).commit('feat: the code base');
    const clock = new HurriedClock();
    const logger = silentLogger();
    const folder = join(root, 'data');
    const store = await openStore({ folder, logger });
    const snapshots = createSnapshotService({ store, machine: 'a'.repeat(32), clock, logger });
    const author = { agent: 'vscode-0000', session: 'day' };
    const log = await createLogService({ folder, store, who: author, hub: 'none', onUnusable: 'throw', clock, logger });
    const session = await openProjectSession(repo.root, {
      snapshots,
      log,
      clock,
      logger,
      author,
      settings: () => ({
        completionTokens: 1200,
        explainTokens: 1800,
        halfLifeDays: 9,
        complexityThreshold: 15,
        dictionary: {},
        exclude: [],
      }),
    });
    const close = async () => {
      session.dispose();
      await log.dispose();
      await snapshots.dispose();
      store.close();
    };
    const day = new WorkingDay({ repo, store, session, clock, close, paths });
    await day.switchEditor();
    return day;
  }

  /** Switches, commits and marks in the proportions of the day, until all are made. */
  async work({ switches, commits, marks }: Day): Promise<void> {
    let [committed, marked] = [0, 0];
    for (let n = 1; n <= switches; n++) {
      await this.switchEditor();
      if (n % 3 === 0) this.edit();
      if ((n * marks) / switches >= marked + 1) await this.mark(marked++);
      if ((n * commits) / switches >= committed + 1) await this.commit(committed++);
    }
  }

  async switchEditor(): Promise<void> {
    const path = this.#next();
    this.#open = [path, ...this.#open.filter((each) => each !== path)].slice(0, OPEN);
    await this.#take('editor');
  }

  /** Changes the active file on disk. */
  edit(): void {
    const path = this.#open[0] ?? '';
    const name = this.#numbers.of(WORDS);
    this.repo.write(
      path,
      `${sourceOf(this.#paths.indexOf(path), new Numbers())}\nexport const ${name}${this.#clock.ticks} = 1;\n`,
    );
  }

  async commit(n: number): Promise<void> {
    this.repo.commit(`${n % 3 === 0 ? 'fix' : 'feat'}(${this.#numbers.of(WORDS)}): change number ${n} of the day`);
    await this.#take('commit');
  }

  async mark(n: number): Promise<void> {
    const target = n % 2 === 0 ? (this.#open[0] ?? '.') : `${this.#open[0]}#L${10 + (n % 20)}-L${30 + (n % 20)}`;
    await this.session.mark(target, [{ key: 'priority', value: 'high' }]);
    await this.#take('mark');
  }

  async end(): Promise<void> {
    await this.#close();
  }

  async #take(trigger: 'editor' | 'commit' | 'mark'): Promise<void> {
    this.#clock.pass(2 * 60_000);
    await this.session.take(trigger, { active: this.#open[0] ?? null, open: this.#open });
  }

  /** Mostly among the files of one feature and what is open, as people work, sometimes anywhere. */
  #next(): string {
    const numbers = this.#numbers;
    const kind = numbers.below(10);
    if (kind < 4 && this.#open.length > 1) return numbers.of(this.#open.slice(1));
    if (kind < 8 && this.#open[0] !== undefined) {
      const at = this.#paths.indexOf(this.#open[0]);
      return this.#paths[(at + 1 + numbers.below(2 * PER_FOLDER)) % this.#paths.length] ?? '';
    }
    return numbers.of(this.#paths);
  }
}

const MANIFEST = JSON.stringify(
  {
    name: 'app',
    dependencies: Object.fromEntries(WORDS.slice(0, 25).map((word, n) => [`@team/${word}`, `^${n}.1.0`])),
  },
  null,
  2,
);

function pathOf(n: number, numbers: Numbers): string {
  const folder = Math.floor(n / PER_FOLDER);
  const area = WORDS[Math.floor(folder / 5) % WORDS.length];
  return `src/${area}/${WORDS[(folder * 7) % WORDS.length]}-${folder}/${numbers.of(VERBS)}-${numbers.of(WORDS)}-${n}.ts`;
}

/** A file of about 80 lines: an interface, a class with methods, functions; names and types vary. */
function sourceOf(n: number, numbers: Numbers): string {
  const name = () => `${numbers.of(VERBS)}${title(numbers.of(WORDS))}${title(numbers.of(WORDS))}`;
  const parameters = () =>
    Array.from({ length: 1 + numbers.below(3) }, (_, at) => `${numbers.of(WORDS)}${at}: ${numbers.of(TYPES)}`).join(
      ', ',
    );
  const body = (lines: number) => Array.from({ length: lines }, () => `    this.count += ${numbers.below(100)};`);
  const kind = `${title(numbers.of(WORDS))}${title(numbers.of(WORDS))}${n}`;
  const methods = Array.from({ length: 5 }, (_, at) => [
    `  /** ${name()}. */`,
    `  async ${name()}${at}(${parameters()}): Promise<${numbers.of(TYPES)}> {`,
    ...body(5),
    '  }',
  ]);
  const functions = Array.from({ length: 3 }, (_, at) => [
    `export function ${name()}${at}(${parameters()}): ${numbers.of(TYPES)} {`,
    ...body(6),
    '}',
  ]);
  return [
    "import { z } from 'zod';",
    `/** What ${kind} is for. */`,
    `export interface ${kind}Options {`,
    ...Array.from({ length: 4 }, (_, at) => `  readonly ${numbers.of(WORDS)}${at}: ${numbers.of(TYPES)};`),
    '}',
    `export class ${kind} {`,
    ...methods.flat(),
    '}',
    ...functions.flat(),
    '',
  ].join('\n');
}

function title(word: string): string {
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}

/** What waits for more to come within this time, in ms, is hurried; longer times are limits of what may take long. */
const MOMENT_MS = 2_000;

/** Wall time passes when told; what waits for a moment waits a hundredth of it. */
class HurriedClock implements Clock {
  #now = Date.UTC(2026, 10, 30, 8, 0, 0);
  ticks = 0;

  pass(ms: number): void {
    this.#now += ms;
    this.ticks++;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return performance.now();
  }

  timeout(ms: number, callback: () => void) {
    const handle = setTimeout(callback, ms > MOMENT_MS ? ms : ms / 100);
    return { dispose: () => clearTimeout(handle) };
  }
}
