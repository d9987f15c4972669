/** The JSON of an answer, whole and in pieces, field by field as the vendor's description shows it. */
import type { Reply, ToolCall } from './answers.ts';
import { type ChatRequest, splits, thinks } from './rules.ts';

/** Estimate by which the stand-in counts tokens: characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/** What the model has produced for one request, cut at its token limit. */
export interface Produced {
  readonly reasoning: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly reasoningTokens: number;
  readonly completionTokens: number;
}

export function tokensOf(text: string): number {
  return Math.ceil([...text].length / CHARACTERS_PER_TOKEN);
}

/**
 * Thinking costs tokens like the answer does and comes first: a small limit may end within it, and then neither its
 * closing tag nor any text is sent.
 */
export function produce(request: ChatRequest, reply: Reply): Produced {
  const thinking = reply.verbatim || !thinks(request) ? '' : reply.thinking;
  const split = splits(request);
  const opened = thinking === '' || split ? thinking : `<think>\n${thinking}\n</think>\n\n`;
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const whole = [...opened, ...reply.text];
  const kept = whole.slice(0, limit * CHARACTERS_PER_TOKEN);
  const reasoning = split ? kept.slice(0, [...opened].length).join('') : '';
  const content = split ? kept.slice([...opened].length).join('') : kept.join('');
  return {
    reasoning,
    content: reply.outputSensitive === 1 ? '' : content,
    toolCalls: reply.toolCalls,
    finishReason: finishReason(reply, kept.length < whole.length),
    reasoningTokens: tokensOf(thinking),
    completionTokens: Math.ceil(kept.length / CHARACTERS_PER_TOKEN),
  };
}

function finishReason(reply: Reply, cut: boolean): Produced['finishReason'] {
  if (reply.outputSensitive !== undefined) return 'content_filter';
  if (cut) return 'length';
  return reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

/** Shapes the answers to one request. */
export class Completion {
  readonly #id: string;
  readonly #model: string;
  readonly #reply: Reply;
  readonly #produced: Produced;
  readonly #prompt: { readonly tokens: number; readonly cached: number };

  constructor(id: string, request: ChatRequest, reply: Reply, prompt: { tokens: number; cached: number }) {
    this.#id = id;
    this.#model = request.model;
    this.#reply = reply;
    this.#produced = produce(request, reply);
    this.#prompt = prompt;
  }

  /** The whole answer, for a request that does not stream. */
  whole(): object {
    const { content, reasoning, finishReason } = this.#produced;
    const message = {
      content,
      role: 'assistant',
      name: 'MiniMax AI',
      audio_content: '',
      ...this.#reasoning(reasoning),
      ...this.#toolCalls(this.#produced.toolCalls),
    };
    return {
      ...this.#frame('chat.completion', [{ finish_reason: finishReason, index: 0, message }], this.usage()),
      base_resp: { status_code: 0, status_msg: '' },
    };
  }

  /** The pieces of a stream, without the one that carries the usage. */
  chunks(): object[] {
    const { reasoning, content, toolCalls, finishReason } = this.#produced;
    const deltas: object[] = [
      ...this.#cut(reasoning, DEFAULT_REASONING_PIECE).map((text) => ({ content: '', ...this.#reasoning(text) })),
      ...this.#cut(content, this.#reply.pieces).map((text) => ({ content: text })),
    ];
    if (toolCalls.length > 0) deltas.push({ content: '', ...this.#toolCalls(toolCalls) });
    if (deltas.length === 0) deltas.push({ content: '' });
    const chunks = deltas.map((delta, index) => {
      const role = this.#reply.emptyRole && index > 0 ? '' : 'assistant';
      const last = index === deltas.length - 1 ? { finish_reason: finishReason } : {};
      const choice = { ...last, index: 0, delta: { ...delta, role, name: 'MiniMax AI', audio_content: '' } };
      return this.#frame('chat.completion.chunk', [choice], null);
    });
    return this.#reply.repeatsWhole ? [...chunks, this.whole()] : chunks;
  }

  /** The last piece of a stream that was asked for its usage. */
  usageChunk(): object {
    return this.#frame('chat.completion.chunk', [], this.usage());
  }

  /** A piece, or a whole answer, that says no with HTTP 200. */
  baseResp(code: number, message: string, object: 'chat.completion' | 'chat.completion.chunk'): object {
    return {
      ...this.#frame(object, null, { total_tokens: 0, total_characters: 0 }),
      base_resp: { status_code: code, status_msg: message },
    };
  }

  usage(): object {
    const { completionTokens, reasoningTokens } = this.#produced;
    return {
      total_tokens: this.#prompt.tokens + completionTokens,
      total_characters: 0,
      prompt_tokens: this.#prompt.tokens,
      completion_tokens: completionTokens,
      prompt_tokens_details: { cached_tokens: this.#prompt.cached },
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    };
  }

  #frame(object: string, choices: readonly object[] | null, usage: object | null): object {
    const { inputSensitive, outputSensitive } = this.#reply;
    return {
      id: this.#id,
      choices,
      created: Math.floor(Date.now() / 1000),
      model: this.#model,
      object,
      usage,
      input_sensitive: inputSensitive !== undefined,
      output_sensitive: outputSensitive !== undefined,
      input_sensitive_type: inputSensitive ?? 0,
      output_sensitive_type: outputSensitive ?? 0,
      output_sensitive_int: 0,
    };
  }

  #reasoning(text: string): object {
    if (text === '') return {};
    const detail = { type: 'reasoning.text', id: 'reasoning-text-1', format: 'MiniMax-response-v1', index: 0, text };
    return { reasoning_content: text, reasoning_details: [detail] };
  }

  #toolCalls(calls: readonly ToolCall[]): object {
    if (calls.length === 0) return {};
    return {
      tool_calls: calls.map(({ id, name, arguments: args }, index) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
        index,
      })),
    };
  }

  #cut(text: string, pieces: number | readonly string[]): readonly string[] {
    if (typeof pieces !== 'number') return pieces;
    const characters = [...text];
    const cuts: string[] = [];
    for (let at = 0; at < characters.length; at += pieces) cuts.push(characters.slice(at, at + pieces).join(''));
    return cuts;
  }
}

const DEFAULT_REASONING_PIECE = 20;
