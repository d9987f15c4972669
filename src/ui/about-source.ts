import { enclosingSymbol, type ProjectSession } from '../agents/index.ts';
import { type Clock, type Disposable, DisposableStore } from '../base/index.ts';
import {
  type FileFacts,
  type FileImports,
  type TagInForce,
  type TogetherFile,
  tagsInForce,
  type Why,
} from '../snapshot/index.ts';
import { type Answer, Answers, type AnswersPorts } from './answers.ts';
import { headOf } from './live-project.ts';

/** What is known of a file; null for an answer that has not come yet. */
export interface AboutInput {
  readonly facts: FileFacts;
  /** Full name of the symbol at the cursor; null outside of any. */
  readonly symbol: string | null;
  /** Tags that the program set and nobody overruled. */
  readonly automatic: readonly TagInForce[];
  readonly imports: Answer<FileImports> | null;
  readonly together: Answer<readonly TogetherFile[]> | null;
  readonly why: Answer<Why> | null;
}

/** While the index of the project grows, who imports a file is asked for again after this, in ms. */
export const INDEX_LOOK_MS = 2_000;

/**
 * What the context view shows of a file. Its facts are in memory; what asks git or the index comes after them and after a
 * pause, only while somebody looks, and is kept by file, symbol and HEAD.
 */
export class AboutFile implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #imports: Answers<FileImports>;
  readonly #together: Answers<readonly TogetherFile[]>;
  readonly #why: Answers<Why>;

  constructor(ports: Pick<AnswersPorts<unknown>, 'isWanted' | 'changed'>, clock: Clock) {
    const lifeOf = ({ index }: FileImports) => (index.complete ? Number.POSITIVE_INFINITY : INDEX_LOOK_MS);
    this.#imports = this.#owned.add(new Answers({ ...ports, lifeOf }, clock));
    this.#together = this.#owned.add(new Answers(ports, clock));
    this.#why = this.#owned.add(new Answers(ports, clock));
  }

  /**
   * What is known now, without waiting; null before the file's facts are, and for a file of which nothing may be said.
   * @param line 1-based line of the cursor
   */
  now(session: ProjectSession, path: string, line: number): AboutInput | null {
    const facts = session.facts(path);
    if (facts === null || facts.degraded.includes('denied')) return null;
    const symbol = enclosingSymbol(facts.outline?.items ?? [], line, line) ?? null;
    const key = (...parts: readonly unknown[]) => JSON.stringify([session.identity.workspace, path, ...parts]);
    const head = headOf(session)?.commit ?? null;
    // Another file's imports change with the files, and so with the snapshot.
    const snapshot = session.latest?.snapshot.id ?? null;
    return {
      facts,
      symbol,
      automatic: automaticTags(session, path),
      imports: this.#imports.get(key(snapshot), () => session.imports(path)),
      together: this.#together.get(key(head), () => session.together(path)),
      why: this.#why.get(key(symbol, head), () => session.why(path, symbol)),
    };
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function automaticTags(session: ProjectSession, path: string): readonly TagInForce[] {
  const { state, now, settings } = session.view(path);
  const { tags = {}, focus = {} } = state;
  return tagsInForce({ tags, focus }, path, now, settings.halfLifeDays).filter(({ source }) => source === 'auto');
}
