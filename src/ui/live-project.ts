import type { ProjectSession } from '../agents/index.ts';
import { type Clock, type Disposable, DisposableStore, messageOf } from '../base/index.ts';
import type { RecallService } from '../inject/index.ts';
import type { EditorView, GitHead, TakenSnapshot, Trigger } from '../snapshot/index.ts';
import { readHead } from './head.ts';
import type { Observe } from './observation.ts';
import { type ProjectRoot, pathInProject } from './paths.ts';
import type { Project } from './projects.ts';
import { SnapshotScheduler } from './snapshot-scheduler.ts';

/** What a project needs from the window it is open in. */
export interface ProjectSurroundings {
  editorView(locate: (file: string) => string | null): EditorView;
  /** Calls back whenever something in the git directory says that HEAD may have moved. */
  watchHead(gitDir: string, commonDir: string, callback: () => void): Disposable;
  intervalMinutes(): number;
  /** What a person should know about failing snapshots; null when they work (again). */
  snapshotProblem(sentence: string | null): void;
}

/** A project while this window has it open: takes its snapshots and reports what happens to it. */
export class LiveProject implements Project {
  readonly name: string;
  readonly session: ProjectSession;
  readonly recall: RecallService;
  readonly scheduler: SnapshotScheduler;
  readonly #root: ProjectRoot;
  readonly #around: ProjectSurroundings;
  readonly #observe: Observe;
  readonly #owned = new DisposableStore();
  /** The hub's state as it was last reported. */
  #hub = '';

  constructor(
    { name, root }: { readonly name: string; readonly root: ProjectRoot },
    { session, recall }: { readonly session: ProjectSession; readonly recall: RecallService },
    around: ProjectSurroundings,
    observe: Observe,
    clock: Clock,
  ) {
    this.name = name;
    this.session = session;
    this.recall = recall;
    this.#root = root;
    this.#around = around;
    this.#observe = observe;
    this.#owned.add(session);
    this.scheduler = this.#owned.add(
      new SnapshotScheduler(
        {
          take: (trigger) => this.#take(trigger),
          head: () => this.#head(),
          failed: (trigger, error) => around.snapshotProblem(`No snapshot (${trigger}): ${messageOf(error)}`),
        },
        clock,
      ),
    );
  }

  start(): void {
    const { identity, onDeltas, onDidChange } = this.session;
    const { gitDir, commonDir } = identity;
    this.#observe('opened', { project: this.name, anchor: identity.anchor.id, workspace: identity.workspace });
    this.#owned.add(onDeltas(({ items, head }) => this.#observe('deltas', { ...head, ops: items.flatMap(opNames) })));
    this.#owned.add(onDidChange(() => this.#observeHub()));
    if (gitDir !== null) {
      this.#owned.add(this.#around.watchHead(gitDir, commonDir ?? gitDir, () => this.scheduler.headMayHaveMoved()));
    }
    this.scheduler.setInterval(this.#around.intervalMinutes());
    void this.scheduler.start(this.#view().active);
  }

  settingsChanged(): void {
    this.scheduler.setInterval(this.#around.intervalMinutes());
    // Another server or scope remembers other things.
    this.recall.clear();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #observeHub(): void {
    const { kind, agents = 1 } = this.session.hub;
    const now = `${kind} ${agents}`;
    if (now === this.#hub) return;
    this.#hub = now;
    this.#observe('hub', { kind, agents });
  }

  async #take(trigger: Trigger): Promise<TakenSnapshot> {
    const { taken, ack } = await this.session.take(trigger, this.#view());
    this.#around.snapshotProblem(null);
    this.#observe('snapshot', {
      trigger,
      stored: taken.stored,
      active: taken.snapshot.active,
      seq: ack?.seq ?? null,
      commits: taken.commits.map(({ commit, kinds }) => ({ commit, kinds })),
      degraded: taken.snapshot.degraded,
      ms: taken.ms,
    });
    return taken;
  }

  #view(): EditorView {
    return this.#around.editorView((file) => pathInProject(this.#root, file));
  }

  #head(): Promise<string | null> {
    const { gitDir, commonDir } = this.session.identity;
    return gitDir === null ? Promise.resolve('') : readHead(gitDir, commonDir ?? gitDir);
  }
}

/** Where HEAD of a project is, as far as is known without waiting. */
export function headOf({ latest, state, identity }: ProjectSession): GitHead | undefined {
  return latest?.snapshot.git.head ?? state.workspaces?.[identity.workspace]?.git?.head;
}

function opNames({ ops }: { readonly ops: readonly { readonly op: string }[] }): readonly string[] {
  return ops.map(({ op }) => op);
}
