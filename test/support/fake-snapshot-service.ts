import { hash, ProjectAnchorError } from '../../src/base/index.ts';
import type {
  AutoTagOptions,
  AutoTags,
  CommitSymbols,
  FileFacts,
  FileImports,
  FileRow,
  IndexState,
  ManifestFacts,
  Origin,
  Outline,
  ProjectIdentity,
  Snapshot,
  SnapshotService,
  TakenSnapshot,
  TakeRequest,
  TogetherFile,
  Why,
} from '../../src/snapshot/index.ts';

export const IDENTITY: ProjectIdentity = {
  anchor: {
    id: 'https://example.com/acme/app#main@2026-11-30T10:00:00.000Z',
    repository: 'https://example.com/acme/app',
    mainBranch: 'main',
    attachedAt: '2026-11-30T10:00:00.000Z',
  },
  aliases: [],
  workspace: 'ab'.repeat(16),
  toplevel: '/nowhere/app',
  gitDir: '/nowhere/app/.git',
  commonDir: '/nowhere/app/.git',
};

/** Answers from what the test put in; `facts` waits until the test lets it go when `holdFacts` is set. */
export class FakeSnapshotService implements SnapshotService {
  identity: ProjectIdentity = IDENTITY;
  stored: Snapshot | null = null;
  readonly taken: TakeRequest[] = [];
  readonly outlines = new Map<string, Outline>();
  /** Answers of `autoTags`, one after the other, and what it was asked with. */
  readonly autoTagRounds: AutoTags[] = [];
  readonly rounds: AutoTagOptions[] = [];
  holdFacts = false;
  readonly held: (() => void)[] = [];

  async configure(): Promise<void> {
    await Promise.resolve();
  }

  async identify(): Promise<ProjectIdentity> {
    return this.identity;
  }

  async take(request: TakeRequest): Promise<TakenSnapshot> {
    this.taken.push(request);
    const snapshot = snapshotOf(this.identity, request, this.stored?.id ?? null);
    this.stored = snapshot;
    return { snapshot, stored: true, commits: [], rewritten: { pairs: [] }, changed: [], ms: 3 };
  }

  async facts(_folder: string, path: string, text: string | null): Promise<FileFacts> {
    const language = text ?? 'ts';
    if (this.holdFacts) await new Promise<void>((resolve) => this.held.push(resolve));
    const outline = this.outlines.get(path) ?? null;
    return { path, language, outline, imports: [], degraded: [] };
  }

  async imports(_folder: string, path: string, _complete: boolean): Promise<FileImports> {
    return { path, language: 'ts', imports: [], importedBy: [], index: await this.index(), degraded: [] };
  }

  async index(): Promise<IndexState> {
    return { files: 0, indexed: 0, complete: true };
  }

  async dependencies(): Promise<readonly ManifestFacts[]> {
    return [];
  }

  async outline(_folder: string, path: string): Promise<Outline> {
    const outline = this.outlines.get(path);
    if (outline === undefined)
      throw new ProjectAnchorError('not_found', `There is no file ${path}.`, 'Check the path.');
    return outline;
  }

  async origin(): Promise<Origin | null> {
    return null;
  }

  async why(_folder: string, path: string, symbol: string | null): Promise<Why> {
    return { path, symbol, commits: [] };
  }

  async commitSymbols(_folder: string, revision: string): Promise<CommitSymbols> {
    return { commit: revision, subject: '', at: '2026-11-30T12:00:00.000Z', kinds: [], files: [] };
  }

  async together(): Promise<readonly TogetherFile[]> {
    return [];
  }

  async autoTags(_folder: string, options: AutoTagOptions): Promise<AutoTags> {
    this.rounds.push(options);
    return this.autoTagRounds.shift() ?? { commit: null, tags: [], keys: [], done: true };
  }

  async show(_folder: string, ref: string): Promise<Snapshot> {
    if (this.stored === null) throw new ProjectAnchorError('not_found', `No snapshot is "${ref}".`, 'Take one first.');
    return this.stored;
  }

  async files(): Promise<readonly FileRow[]> {
    return [];
  }

  async dispose(): Promise<void> {
    await Promise.resolve();
  }
}

function snapshotOf(identity: ProjectIdentity, request: TakeRequest, parent: string | null): Snapshot {
  const body = {
    schema: 'projectanchor.snapshot.v1',
    anchor: identity.anchor.id,
    workspace: identity.workspace,
    takenAt: '2026-11-30T12:00:00.000Z',
    trigger: request.trigger,
    parent,
    git: {
      head: { kind: 'branch', branch: 'main', commit: 'c'.repeat(40) },
      staged: [],
      unstaged: [],
      untracked: [],
      conflicted: [],
      history: hash([]),
      submodules: [],
    },
    files: { count: 0, bytes: 0, byLanguage: {}, tree: hash({ entries: [] }) },
    active: request.editor.active,
    outlines: {},
    dependencies: {},
    marks: request.marks,
    degraded: [],
  } as const;
  return { ...body, id: hash(body) };
}
