import * as z from 'zod/mini';
import { isLoopback, ProjectAnchorError } from '../base/index.ts';

/** How one setting is read: what it may be, what it is without one, and the words that say so to a person. */
interface Setting<T> {
  readonly schema: z.ZodMiniType<T>;
  readonly fallback: T;
  /** Completes "must be …". */
  readonly expects: string;
}

function setting<T>(schema: z.ZodMiniType<T>, fallback: T, expects: string): Setting<T> {
  return { schema, fallback, expects };
}

function plainUrl(text: string, secure: string, plain: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false;
  return url.protocol === secure || (url.protocol === plain && isLoopback(url.hostname));
}

const httpUrl = z.string().check(z.refine((text) => plainUrl(text, 'https:', 'http:')));
const emptyOr = (schema: z.ZodMiniType<string>) => z.union([z.literal(''), schema]) as z.ZodMiniType<string>;
const wsUrl = z.string().check(z.refine((text) => plainUrl(text, 'wss:', 'ws:')));
const whole = (fallback: number, from: number, to: number) =>
  setting(z.int().check(z.minimum(from), z.maximum(to)), fallback, `a whole number from ${from} to ${to}`);
const flag = (fallback: boolean) => setting(z.boolean(), fallback, 'true or false');
const oneOf = <const T extends string>(fallback: NoInfer<T>, ...values: T[]) =>
  setting(z.enum(values) as z.ZodMiniType<T>, fallback, `one of ${values.map((value) => `"${value}"`).join(', ')}`);

const ADDRESS = 'without user name, query or fragment';

/**
 * Every setting of the product under its name without `projectAnchor.`, with the defaults of the settings page.
 * The manifest's `contributes.configuration` says the same; a test compares the two.
 */
export const SETTINGS = {
  'minimax.baseUrl': setting(
    httpUrl,
    'https://api.minimax.io/v1',
    `an https address (http only for this machine) ${ADDRESS}`,
  ),
  'minimax.model': setting(z.string().check(z.regex(/^[\x21-\x7e]{1,128}$/)), 'MiniMax-M3', 'the name of a model'),
  'minimax.completions.enabled': flag(true),
  'context.completionTokens': whole(1200, 0, 32_000),
  'context.explainTokens': whole(1800, 0, 32_000),
  'context.signatures': flag(true),
  'powercontext.url': setting(
    emptyOr(httpUrl),
    '',
    `empty (off) or an https address (http only for this machine) ${ADDRESS}`,
  ),
  'powercontext.scopeId': setting(z.string().check(z.maxLength(256)), '', 'a scope id of at most 256 characters'),
  'powercontext.recall': oneOf('auto', 'auto', 'always', 'never'),
  'powercontext.maxBytes': whole(2400, 512, 32_768),
  'powercontext.requestTimeoutMs': whole(1000, 100, 30_000),
  'powercontext.budgetMs': whole(4000, 100, 60_000),
  'powercontext.capture': flag(false),
  'hub.url': setting(emptyOr(wsUrl), '', `empty (own hub) or a wss address (ws only for this machine) ${ADDRESS}`),
  'hub.port': whole(0, 0, 65_535),
  'hub.share': oneOf('marks', 'marks', 'facts', 'outlines'),
  'snapshot.intervalMinutes': setting(
    z.number().check(z.minimum(0), z.maximum(1440)),
    15,
    'a number of minutes from 0 (off) to 1440',
  ),
  'snapshot.exclude': setting(
    z.array(z.string().check(z.minLength(1))) as z.ZodMiniType<readonly string[]>,
    [],
    'a list of glob patterns',
  ),
  'snapshot.mainBranch': setting(z.string(), '', 'the name of a branch, or empty'),
  'tags.dictionary': setting(
    z.record(z.string(), z.string()) as z.ZodMiniType<Readonly<Record<string, string>>>,
    {},
    'an object of phrases, each with the "key: value" that it stands for',
  ),
  'tags.complexityThreshold': whole(15, 0, 1000),
  'tags.halfLifeDays': setting(z.number().check(z.gt(0), z.maximum(3650)), 9, 'a number of days above 0, at most 3650'),
} as const;

export type SettingName = keyof typeof SETTINGS;
/** The value of every setting, checked. */
export type Settings = {
  readonly [N in SettingName]: (typeof SETTINGS)[N] extends Setting<infer T> ? T : never;
};

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** `minimax.baseUrl` → `PROJECT_ANCHOR_MINIMAX_BASE_URL`. */
export function variableOf(name: SettingName): string {
  return `PROJECT_ANCHOR_${name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

/** A value that shows itself to nobody but who asks for it by name: printing, logging or serialising it gives `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

export interface Secrets {
  /** `PROJECT_ANCHOR_MINIMAX_API_KEY`. */
  readonly minimaxApiKey?: Secret;
  /** `PROJECT_ANCHOR_POWERCONTEXT_AUTHORIZATION`: the value of the Authorization header. */
  readonly powercontextAuthorization?: Secret;
}

/** Checks one value; errors name the place and what is allowed, never the value, which may be a secret gone astray. */
function checked<N extends SettingName>(name: N, value: unknown, place: string): Settings[N] {
  const { schema, expects } = SETTINGS[name];
  const result = schema.safeParse(value);
  if (result.success) return result.data as Settings[N];
  throw new ProjectAnchorError('config', `${place} must be ${expects}.`, 'Correct it or remove it.');
}

/**
 * Settings from any source, such as an editor's: `lookup` gives the raw value or undefined for the default.
 * @throws ProjectAnchorError `config` naming the first setting that is not valid.
 */
export function readSettings(lookup: (name: SettingName) => unknown): Settings {
  const values = SETTING_NAMES.map((name) => {
    const value = lookup(name);
    return [
      name,
      value === undefined ? SETTINGS[name].fallback : checked(name, value, `The setting "projectAnchor.${name}"`),
    ];
  });
  return Object.fromEntries(values) as Settings;
}

/** What a variable's text stands for: text settings take it as it is, the others are JSON. */
function fromVariable(name: SettingName, text: string, variable: string): unknown {
  if (typeof SETTINGS[name].fallback === 'string') return checked(name, text, variable);
  try {
    return checked(name, JSON.parse(text) as unknown, variable);
  } catch (error) {
    if (error instanceof ProjectAnchorError) throw error;
    throw new ProjectAnchorError('config', `${variable} must be ${SETTINGS[name].expects}.`, 'Correct it or unset it.');
  }
}

/** V8 quotes the text around a mistake, which may hold a key: only its place is told. */
function parseConfig(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`;
    throw new ProjectAnchorError('config', `${path} is not valid JSON${line}.`, 'Correct it or remove the file.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProjectAnchorError(
      'config',
      `${path} must hold one JSON object of settings.`,
      'Correct it or remove the file.',
    );
  }
  return value as Readonly<Record<string, unknown>>;
}

const SECRET_NAME = /key$|token$|secret|password|authorization/i;

export interface Configuration {
  readonly settings: Settings;
  readonly secrets: Secrets;
  /** Sentences about what was ignored. */
  readonly warnings: readonly string[];
}

/** Where the command line's settings come from. */
export interface ConfigurationSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of `config.json`, or null when there is none. */
  readonly text: string | null;
  /** Its path, for sentences. */
  readonly path: string;
}

/**
 * Settings of the command line: `PROJECT_ANCHOR_*` variables, else `config.json` (the names of the editor's settings),
 * else the defaults. An empty variable counts as unset. Secrets come from variables only.
 * @throws ProjectAnchorError `config` with a sentence that names the place; no value is ever part of it.
 */
export function loadConfiguration({ env, text, path }: ConfigurationSources): Configuration {
  const file = text === null ? {} : parseConfig(text, path);
  const warnings: string[] = [];
  for (const key of Object.keys(file)) {
    const name = key.replace(/^projectAnchor\./, '');
    if (Object.hasOwn(SETTINGS, name) && key !== name) continue;
    if (SECRET_NAME.test(key) && !Object.hasOwn(SETTINGS, name)) {
      throw new ProjectAnchorError(
        'config',
        `${path} holds "${key}": secrets are not kept in settings.`,
        'Remove it and set PROJECT_ANCHOR_MINIMAX_API_KEY or PROJECT_ANCHOR_POWERCONTEXT_AUTHORIZATION instead.',
      );
    }
    warnings.push(
      Object.hasOwn(SETTINGS, name)
        ? `${path}: "${key}" is ignored: write "projectAnchor.${name}".`
        : `${path}: "${key}" is ignored: there is no such setting.`,
    );
  }
  const values = SETTING_NAMES.map((name) => {
    const variable = variableOf(name);
    const given = env[variable];
    if (given !== undefined && given !== '') return [name, fromVariable(name, given, variable)];
    const key = `projectAnchor.${name}`;
    if (Object.hasOwn(file, key)) return [name, checked(name, file[key], `${path}: "${key}"`)];
    return [name, SETTINGS[name].fallback];
  });
  return { settings: Object.fromEntries(values) as Settings, secrets: secretsFrom(env), warnings };
}

/** A header value: visible ASCII and spaces, so that nothing can smuggle a second header in. */
const HEADER = /^[\x20-\x7e]+$/;

function secretsFrom(env: ConfigurationSources['env']): Secrets {
  const secret = (variable: string): Secret | undefined => {
    const value = env[variable]?.trim();
    if (value === undefined || value === '') return undefined;
    if (HEADER.test(value)) return new Secret(value);
    throw new ProjectAnchorError('config', `${variable} holds characters that a key cannot have.`, 'Set it again.');
  };
  const minimaxApiKey = secret('PROJECT_ANCHOR_MINIMAX_API_KEY');
  const powercontextAuthorization = secret('PROJECT_ANCHOR_POWERCONTEXT_AUTHORIZATION');
  return {
    ...(minimaxApiKey === undefined ? {} : { minimaxApiKey }),
    ...(powercontextAuthorization === undefined ? {} : { powercontextAuthorization }),
  };
}
