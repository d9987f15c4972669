import type { Head, State } from '../delta/index.ts';
import type { Anchor, FileFacts } from '../snapshot/index.ts';

/** The shapes of protocol §8. */

export interface CodeCompletionRequest {
  readonly type: 'completion';
  /** Absolute, or relative to the workspace root; made relative on the way in. */
  readonly file: string;
  readonly language: string;
  /** 1-based line of the cursor. */
  readonly line: number;
  readonly prefix: string;
  readonly suffix: string;
  readonly context?: string;
}

export interface CodeExplainRequest {
  readonly type: 'explain';
  readonly file: string;
  readonly language: string;
  readonly selection: string;
  /** 1-based first line of the selection, when known. */
  readonly line?: number;
  readonly question?: string;
  readonly context?: string;
}

export interface ChatRequest {
  readonly type: 'chat';
  readonly question: string;
  readonly session: string;
  readonly turn: string;
  readonly file?: string;
  readonly context?: string;
}

export type InjectRequest = CodeCompletionRequest | CodeExplainRequest | ChatRequest;

export interface ReceiptItem {
  /** Section: `anchor`, `git`, `dependencies`, `focus`, `tags`, `outline`, `import`, `mark`, `recall`, ... */
  readonly kind: string;
  /** What it is about: a target, a path, `path#sym:Name`, a package name. */
  readonly ref: string;
  readonly tokens: number;
  readonly why: string;
}

export interface RecallOutcome {
  /** `off`, `not_needed`, `ready`, `empty`, `failed:<code>`, `backoff`, `prefetched`, `too_large`. */
  readonly status: string;
  readonly ms: number;
  readonly bytes: number;
}

/** A receipt before the log chains it. */
export interface ReceiptDraft {
  /** UUIDv7. */
  readonly id: string;
  readonly at: string;
  /** The anchor's id. */
  readonly anchor: string;
  readonly workspace: string;
  /** Id of the latest snapshot of the workspace, or null when none was taken. */
  readonly snapshot: string | null;
  readonly head: Head;
  readonly asOf: string;
  /** `gap` is written by the log alone: a process ended and may have taken receipts along (protocol §8). */
  readonly type: InjectRequest['type'] | 'gap';
  /** Relative path, or null for a chat without a file. */
  readonly file: string | null;
  readonly items: readonly ReceiptItem[];
  readonly dropped: readonly ReceiptItem[];
  readonly tokens: number;
  /** UTF-8 bytes of the project context. */
  readonly bytes: number;
  readonly recall: RecallOutcome;
  /** SHA-256 hex of the project context's UTF-8 bytes. */
  readonly contextHash: string;
}

export interface Receipt extends ReceiptDraft {
  readonly prev: string;
  readonly hash: string;
}

export interface Injected<R extends InjectRequest = InjectRequest> {
  /** The request with `context` filled in and its file path relative. */
  readonly request: R;
  /** The project context alone (what `contextHash` covers); empty when nothing fits or the file is outside. */
  readonly projectContext: string;
  readonly receipt: ReceiptDraft;
}

export interface InjectSettings {
  /** Hard ceilings in estimated tokens. */
  readonly completionTokens: number;
  readonly explainTokens: number;
  readonly halfLifeDays: number;
}

/** Everything the injector may read, already in memory. */
export interface ProjectView {
  readonly anchor: Anchor;
  readonly workspace: string;
  /** Absolute path of the workspace root. */
  readonly toplevel: string;
  readonly head: Head;
  readonly state: State;
  readonly snapshot: string | null;
  /** Facts of the request's file on the text as it is now, when known. */
  readonly facts: FileFacts | null;
  readonly settings: InjectSettings;
  /** Wall time in ms; the injector cuts it to the hour. */
  readonly now: number;
}

/** Remembered text for one request, already checked and unfenced. */
export interface RecalledText {
  readonly content: string;
  readonly outcome: RecallOutcome;
}

/** Memory outside this machine's project facts (a PowerContext server). */
export interface Recall {
  /** Never rejects: failing memory is an outcome. `content` is empty unless the outcome is `ready`. */
  prepare(query: string, maxBytes: number, signal: AbortSignal): Promise<RecalledText>;
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
}

/** Counts as the API reports them; absent when it did not. */
export interface ModelUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  /** Why the answer ended, in the API's word: `stop`, or `length` when it reached `maxTokens`. */
  readonly finishReason?: string;
}

/** A model that streams text. */
export interface ModelClient {
  /**
   * Streams the answer's visible text (reasoning and leaked markers removed). Ends early without error when `signal` aborts.
   * @throws ProjectAnchorError `model_auth`, `model_rate_limit`, `model_quota`, `model_filtered`, `model_server`,
   *   `model_garbled`, `model_cut`, `model_network`, `model_rejected`, `model_no_key`, each with a sentence for people.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<string, ModelUsage, void>;
}
