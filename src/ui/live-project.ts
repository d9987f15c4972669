import { join } from 'node:path';
import type { IdleAutoTags, ProjectSession } from '../agents/index.ts';
import { type Clock, type Disposable, DisposableStore, messageOf } from '../base/index.ts';
import type { RecallService } from '../inject/index.ts';
import type { EditorView, GitHead, TakenSnapshot, Trigger } from '../snapshot/index.ts';
import { type GitMoment, NO_GIT, readGitMoment } from './git-moment.ts';
import { type GitListener, type GitPlaces, type PollReason, pollingSentence } from './git-watch.ts';
import type { Observe } from './observation.ts';
import { type ProjectRoot, pathInProject } from './paths.ts';
import type { Project } from './projects.ts';
import { SnapshotScheduler } from './snapshot-scheduler.ts';

/** What a project needs from the window it is open in. */
export interface ProjectSurroundings {
  editorView(locate: (file: string) => string | null): EditorView;
  /** Whether a file of the working tree is this project's, and not that of a repository inside it. */
  owns(project: Project, file: string): boolean;
  watchGit(places: GitPlaces, listener: GitListener): Disposable;
  intervalMinutes(): number;
  /** What a person should know of the project has changed. */
  tell(): void;
  /** The project's folder has become a repository: it is another project now. */
  reopen(project: Project): void;
}

/** What a project is made of, and ends with it. */
export interface ProjectOwned {
  readonly session: ProjectSession;
  readonly recall: RecallService;
  readonly autoTags: Pick<IdleAutoTags, 'active' | 'dispose'>;
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
  readonly #autoTags: ProjectOwned['autoTags'];
  /** The hub's state as it was last reported. */
  #hub = '';
  #problem: string | null = null;
  #polling: PollReason | null = null;
  #started = false;

  constructor(
    { name, root }: { readonly name: string; readonly root: ProjectRoot },
    { session, recall, autoTags }: ProjectOwned,
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
    this.#autoTags = this.#owned.add(autoTags);
    this.scheduler = this.#owned.add(
      new SnapshotScheduler(
        {
          take: (trigger) => this.#take(trigger),
          git: () => this.#git(),
          failed: (trigger, error) => this.#report(`No snapshot (${trigger}): ${messageOf(error)}`),
        },
        clock,
      ),
    );
  }

  get problem(): string | null {
    return this.#problem;
  }

  get watching(): string | null {
    return this.#polling === null ? null : pollingSentence(this.#polling);
  }

  start(): void {
    this.#started = true;
    const { identity, onDeltas, onDidChange } = this.session;
    this.#observe('opened', { project: this.name, anchor: identity.anchor.id, workspace: identity.workspace });
    this.#owned.add(onDeltas(({ items, head }) => this.#observe('deltas', { ...head, ops: items.flatMap(opNames) })));
    this.#owned.add(onDidChange(() => this.#observeHub()));
    const changed = () => {
      this.#autoTags.active();
      this.scheduler.gitMayHaveChanged();
    };
    this.#owned.add(
      this.#around.watchGit(this.#places, { changed, polling: (reason) => this.#pollingChanged(reason) }),
    );
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
    if (this.#started) this.#observe('ended', { project: this.name });
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
    this.#autoTags.active();
    this.#report(null);
    this.#observe('snapshot', {
      trigger,
      stored: taken.stored,
      active: taken.snapshot.active,
      seq: ack?.seq ?? null,
      commits: taken.commits.map(({ commit, kinds }) => ({ commit, kinds })),
      degraded: taken.snapshot.degraded,
      ms: taken.ms,
    });
    const isRepository = taken.snapshot.git.head.kind !== 'none';
    if (isRepository && this.session.identity.gitDir === null) this.#around.reopen(this);
    return taken;
  }

  /** Where the git directory is, or would be if the folder became a repository. */
  get #places(): GitPlaces {
    const { toplevel, gitDir, commonDir } = this.session.identity;
    const own = gitDir ?? join(toplevel, '.git');
    return { gitDir: own, commonDir: commonDir ?? own };
  }

  #pollingChanged(reason: PollReason | null): void {
    // That there is none is nothing that went wrong.
    if (this.session.identity.gitDir === null) return;
    this.#polling = reason;
    this.#observe('polling', { project: this.name, reason });
    this.#around.tell();
  }

  #report(sentence: string | null): void {
    if (sentence === this.#problem) return;
    this.#problem = sentence;
    this.#around.tell();
  }

  #view(): EditorView {
    return this.#around.editorView((file) => (this.#around.owns(this, file) ? pathInProject(this.#root, file) : null));
  }

  async #git(): Promise<GitMoment> {
    const { gitDir, commonDir } = this.#places;
    const moment = await readGitMoment(gitDir, commonDir);
    return moment.head === null && this.session.identity.gitDir === null ? NO_GIT : moment;
  }
}

/** Where HEAD of a project is, as far as is known without waiting. */
export function headOf({ latest, state, identity }: ProjectSession): GitHead | undefined {
  return latest?.snapshot.git.head ?? state.workspaces?.[identity.workspace]?.git?.head;
}

function opNames({ ops }: { readonly ops: readonly { readonly op: string }[] }): readonly string[] {
  return ops.map(({ op }) => op);
}
