/** What the documented API accepts, per model, and what it says to the rest. */
import { CODE, type HttpError, httpError } from './answers.ts';

export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly function?: { readonly arguments?: unknown } }[];
  readonly tool_call_id?: string;
}

/** The parameters that change an answer. Everything else is accepted and ignored, as documented. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly thinking?: { readonly type?: string; readonly budget_tokens?: unknown };
  readonly reasoning_split?: boolean;
  readonly reasoning_effort?: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly n?: number;
  readonly max_completion_tokens?: number;
  readonly max_tokens?: number;
  readonly tools?: unknown;
}

export interface ModelRules {
  /** `switchable`: adaptive unless disabled. `always`: `disabled` is accepted and changes nothing. `required`: `disabled` is refused. */
  readonly thinking: 'switchable' | 'always' | 'required';
  /** Where thinking goes when the request does not say. */
  readonly splitsByDefault: boolean;
  readonly maxOutput: number;
  /** The range of temperature; the older models refuse 0. */
  readonly minTemperature: 'zero' | 'above zero';
  readonly maxTemperature: number;
  readonly severalSystemMessages: boolean;
}

const M3: ModelRules = {
  thinking: 'switchable',
  splitsByDefault: false,
  maxOutput: 524_288,
  minTemperature: 'zero',
  maxTemperature: 2,
  severalSystemMessages: true,
};
const M2: ModelRules = {
  thinking: 'always',
  splitsByDefault: false,
  maxOutput: 204_800,
  minTemperature: 'above zero',
  maxTemperature: 1,
  severalSystemMessages: false,
};

export const MODELS: ReadonlyMap<string, ModelRules> = new Map([
  ['MiniMax-M3', M3],
  ['MiniMax-M3.1-Flash', { ...M3, thinking: 'required', splitsByDefault: true }],
  ['MiniMax-M2.7', M2],
  ['MiniMax-M2.7-highspeed', M2],
  ['MiniMax-M2.5', M2],
  ['MiniMax-M2.1', M2],
  ['MiniMax-M2', M2],
]);

const ROLES = new Set(['root', 'system', 'user', 'assistant', 'tool']);

/** The error that the service gives to a request, or undefined when it would answer it. */
export function refusal(body: unknown): HttpError | undefined {
  const problem = problemOf(body);
  return problem === undefined ? undefined : httpError(400, CODE.badParameters, `invalid params, ${problem}`);
}

/** The rules of the model that a request names. Only for requests that were not refused. */
export function rulesOf(request: ChatRequest): ModelRules {
  return MODELS.get(request.model) ?? M3;
}

/** Whether the model thinks before it answers. */
export function thinks(request: ChatRequest): boolean {
  return rulesOf(request).thinking !== 'switchable' || request.thinking?.type !== 'disabled';
}

/** Whether thinking goes into fields of its own instead of `content`. */
export function splits(request: ChatRequest): boolean {
  return request.reasoning_split ?? rulesOf(request).splitsByDefault;
}

function problemOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body is not a JSON object';
  const request = body as Partial<ChatRequest>;
  const rules = typeof request.model === 'string' ? MODELS.get(request.model) : undefined;
  if (rules === undefined) return `unknown model '${String(request.model)}'`;
  return (
    thinkingProblem(request, rules) ??
    samplingProblem(request, rules) ??
    messagesProblem(request.messages, rules) ??
    ('function_call' in body || 'functions' in body ? 'function_call is not supported, use tools' : undefined)
  );
}

function thinkingProblem(request: Partial<ChatRequest>, rules: ModelRules): string | undefined {
  if (request.reasoning_effort === 'none') return "reasoning_effort 'none' is not supported";
  const { thinking } = request;
  if (thinking === undefined) return undefined;
  if (thinking.budget_tokens !== undefined) return 'thinking.budget_tokens is not supported';
  if (thinking.type === 'disabled' && rules.thinking === 'required')
    return `${request.model} requires adaptive thinking`;
  if (thinking.type === 'disabled' || thinking.type === 'adaptive') return undefined;
  return `thinking.type '${String(thinking.type)}' is not supported`;
}

function samplingProblem(request: Partial<ChatRequest>, rules: ModelRules): string | undefined {
  const { temperature, top_p, n } = request;
  const tooCold = temperature !== undefined && (rules.minTemperature === 'zero' ? temperature < 0 : temperature <= 0);
  if (tooCold || (temperature ?? 0) > rules.maxTemperature) return 'temperature is out of range';
  if (top_p !== undefined && (top_p < 0 || top_p > 1)) return 'top_p is out of range';
  if (n !== undefined && n !== 1) return 'n must be 1';
  for (const name of ['max_completion_tokens', 'max_tokens'] as const) {
    const limit = request[name];
    if (limit === undefined) continue;
    if (!Number.isInteger(limit) || limit < 1 || limit > rules.maxOutput) return `${name} is out of range`;
  }
  return undefined;
}

function messagesProblem(messages: unknown, rules: ModelRules): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages is empty';
  const asked = new Set<string>();
  let systemMessages = 0;
  for (const message of messages as Message[]) {
    if (!ROLES.has(message.role)) return `chat content has invalid message role: ${message.role}`;
    if (message.role === 'system') systemMessages += 1;
    for (const call of message.tool_calls ?? []) {
      if (!isJson(call.function?.arguments)) return `invalid function arguments json string, tool_call_id: ${call.id}`;
      asked.add(call.id ?? '');
    }
    if (message.role === 'tool') {
      if (!asked.has(message.tool_call_id ?? '')) return `tool result's tool id(${message.tool_call_id}) not found`;
      if (typeof message.content === 'object' && !Array.isArray(message.content)) return 'tool result is not a text';
    }
  }
  return systemMessages > 1 && !rules.severalSystemMessages ? 'invalid chat setting' : undefined;
}

function isJson(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
