import { dirname } from 'node:path';
import type { ProjectSession } from '../../../src/agents/index.ts';
import { ProjectAnchorError, silentLogger } from '../../../src/base/index.ts';
import {
  type Injected,
  type InjectRequest,
  type ModelClient,
  type ModelRequest,
  type ModelUsage,
  type ProjectView,
  type RecalledText,
  RecallService,
} from '../../../src/inject/index.ts';
import { createGate, type FileFacts } from '../../../src/snapshot/index.ts';
import type { SpeakingProject } from '../../../src/ui/completion-engine.ts';
import type { Owner } from '../../../src/ui/repository-finder.ts';
import type { FakeClock } from '../../support/fake-clock.ts';

export const quiet = silentLogger();

/** A model whose answers a test writes piece by piece. */
export class ScriptedModel implements ModelClient {
  readonly requests: ModelRequest[] = [];
  readonly aborted: boolean[] = [];
  pieces: readonly string[] = [];
  usage: ModelUsage = {};
  failure: ProjectAnchorError | null = null;
  /** While set, an answer begins only when it resolves. */
  gate: Promise<void> | null = null;

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<string, ModelUsage, void> {
    const index = this.requests.push(request) - 1;
    this.aborted[index] = false;
    signal.addEventListener('abort', () => {
      this.aborted[index] = true;
    });
    await this.gate;
    for (const piece of this.pieces) {
      if (signal.aborted) return this.usage;
      yield piece;
    }
    if (this.failure !== null) throw this.failure;
    return this.usage;
  }
}

export interface FakeProject extends SpeakingProject {
  readonly injected: { readonly request: InjectRequest; readonly recalled: RecalledText | undefined }[];
  readonly askedMemory: string[];
  refusal: ProjectAnchorError | null;
  facts: FileFacts | null;
}

const view = {
  anchor: { id: 'a' },
  workspace: 'w',
  toplevel: '/shop',
  state: {},
  facts: null,
  settings: { completionTokens: 1200, explainTokens: 1800, halfLifeDays: 9 },
} as unknown as ProjectView;

/** A project whose injector puts one sentence in front, and whose memory says `remembered`. */
export function fakeProject(clock: FakeClock, remembered = ''): FakeProject {
  const injected: FakeProject['injected'] = [];
  const facts: FileFacts | null = { path: 'src/a.ts', language: 'ts', outline: null, imports: [], degraded: [] };
  const project = {
    injected,
    askedMemory: [] as string[],
    refusal: null as ProjectAnchorError | null,
    facts: facts as FileFacts | null,
  };
  const refreshFacts = async () => {
    project.facts = facts;
    return facts;
  };
  const check = () => {
    if (project.refusal !== null) throw project.refusal;
  };
  const inject = <R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R> => {
    check();
    injected.push({ request, recalled });
    const outcome = recalled?.outcome ?? { status: 'not_needed', ms: 0, bytes: 0 };
    return {
      request: { ...request, context: 'the project context' },
      projectContext: 'the project context',
      receipt: {
        items: [{ kind: 'anchor', ref: 'shop', tokens: 4, why: 'which' }],
        dropped: [],
        tokens: 4,
        recall: outcome,
      },
    } as unknown as Injected<R>;
  };
  const recall = new RecallService(
    {
      prepare: async (question) => {
        project.askedMemory.push(question);
        return {
          content: remembered,
          outcome: { status: remembered === '' ? 'empty' : 'ready', ms: 1, bytes: remembered.length },
        };
      },
    },
    () => ({ mode: 'auto', maxBytes: 2400, budgetMs: 4000 }),
    () => createGate({}),
    clock,
  );
  const session = {
    inject,
    check,
    view: () => view,
    facts: () => project.facts,
    refreshFacts,
  } as unknown as ProjectSession;
  return Object.assign(project, { session, recall, path: 'src/a.ts' });
}

export function failure(code: string, sentence = `It failed with ${code}. Do something.`): ProjectAnchorError {
  return new ProjectAnchorError(code, sentence);
}

/** Finds owners among named repositories, and notes where it looked. */
export async function ownerAmong(
  world: { readonly repositories: readonly string[]; readonly looked?: string[] },
  path: string,
  top: string | null,
): Promise<Owner> {
  const passed: string[] = [];
  for (let at = path; at !== top; at = dirname(at)) {
    passed.push(at);
    world.looked?.push(at);
    await Promise.resolve();
    if (world.repositories.includes(at)) return { root: at, passed };
    if (at === dirname(at)) break;
  }
  return { root: top, passed };
}
