import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json';
import {
  loadConfiguration,
  readSettings,
  SETTING_NAMES,
  SETTINGS,
  Secret,
  variableOf,
} from '../../../src/agents/config.ts';

const PATH = '/data/config.json';

function load(config: object | string | null, env: Record<string, string> = {}) {
  const text = config === null || typeof config === 'string' ? config : JSON.stringify(config);
  return loadConfiguration({ env, text, path: PATH });
}

function sentence(config: object | string | null, env: Record<string, string> = {}): string {
  try {
    load(config, env);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ProjectAnchorError', code: 'config' });
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

describe('settings', () => {
  test('are those of the editor, with the same defaults and limits', () => {
    const properties: Record<string, { default: unknown; minimum?: number; maximum?: number; enum?: string[] }> =
      Object.assign({}, ...manifest.contributes.configuration.map((page) => page.properties));
    expect(SETTING_NAMES.map((name) => `projectAnchor.${name}`).sort()).toEqual(Object.keys(properties).sort());
    for (const name of SETTING_NAMES) {
      const property = properties[`projectAnchor.${name}`];
      expect(SETTINGS[name].fallback, name).toEqual(property?.default);
      for (const limit of [property?.minimum, property?.maximum, ...(property?.enum ?? [])]) {
        if (limit !== undefined) expect(SETTINGS[name].schema.safeParse(limit).success, `${name} ${limit}`).toBe(true);
      }
      for (const beyond of [(property?.minimum ?? 0) - 1, (property?.maximum ?? 0) + 1]) {
        if (property?.maximum !== undefined) {
          expect(SETTINGS[name].schema.safeParse(beyond).success, `${name} ${beyond}`).toBe(false);
        }
      }
    }
  });

  test('have the variable names that the documentation gives', () => {
    expect(variableOf('minimax.baseUrl')).toBe('PROJECT_ANCHOR_MINIMAX_BASE_URL');
    expect(variableOf('powercontext.scopeId')).toBe('PROJECT_ANCHOR_POWERCONTEXT_SCOPE_ID');
    expect(variableOf('hub.url')).toBe('PROJECT_ANCHOR_HUB_URL');
    expect(variableOf('context.completionTokens')).toBe('PROJECT_ANCHOR_CONTEXT_COMPLETION_TOKENS');
  });

  test('come from a variable, else from the file, else from the default', () => {
    const file = { 'projectAnchor.context.completionTokens': 900, 'projectAnchor.powercontext.recall': 'never' };
    const env = {
      PROJECT_ANCHOR_CONTEXT_COMPLETION_TOKENS: '700',
      PROJECT_ANCHOR_POWERCONTEXT_RECALL: '',
      PROJECT_ANCHOR_SNAPSHOT_EXCLUDE: '["docs/**"]',
      PROJECT_ANCHOR_TAGS_DICTIONARY: '{"hot path":"priority: high"}',
      PROJECT_ANCHOR_CONTEXT_SIGNATURES: 'false',
      PROJECT_ANCHOR_SNAPSHOT_MAIN_BRANCH: '1.0',
    };
    const { settings, warnings } = load(file, env);
    expect(settings['context.completionTokens']).toBe(700);
    expect(settings['powercontext.recall']).toBe('never');
    expect(settings['context.explainTokens']).toBe(1800);
    expect(settings['snapshot.exclude']).toEqual(['docs/**']);
    expect(settings['tags.dictionary']).toEqual({ 'hot path': 'priority: high' });
    expect(settings['context.signatures']).toBe(false);
    expect(settings['snapshot.mainBranch']).toBe('1.0');
    expect(warnings).toEqual([]);
  });

  test('of an editor are checked the same way', () => {
    expect(readSettings(() => undefined)['minimax.model']).toBe('MiniMax-M3');
    expect(() => readSettings((name) => (name === 'hub.port' ? 70_000 : undefined))).toThrow(
      'The setting "projectAnchor.hub.port" must be a whole number from 0 to 65535. Correct it or remove it.',
    );
  });

  test.each([
    ['http://example.com/v1', false],
    ['http://127.0.0.1:9000/v1', true],
    ['http://127.8.8.8:9000', true],
    ['http://[::1]:9000', true],
    ['http://localhost', true],
    ['http://localhost.example.com', false],
    ['https://example.com/v1', true],
    ['https://user:pass@example.com', false],
    ['https://example.com/?a=1', false],
    ['ftp://example.com', false],
    ['', false],
    ['not an address', false],
  ])('the model address %s is allowed: %s', (address, allowed) => {
    expect(SETTINGS['minimax.baseUrl'].schema.safeParse(address).success).toBe(allowed);
  });
});

describe('sentences', () => {
  test('name the place, what is allowed and what to do', () => {
    expect(sentence({ 'projectAnchor.powercontext.recall': 'sometimes' })).toBe(
      '/data/config.json: "projectAnchor.powercontext.recall" must be one of "auto", "always", "never". Correct it or remove it.',
    );
    expect(sentence(null, { PROJECT_ANCHOR_CONTEXT_EXPLAIN_TOKENS: 'many' })).toBe(
      'PROJECT_ANCHOR_CONTEXT_EXPLAIN_TOKENS must be a whole number from 0 to 32000. Correct it or unset it.',
    );
    expect(sentence('{\n  "a": 1,\n  "b" 2\n}')).toBe(
      '/data/config.json is not valid JSON (line 3). Correct it or remove the file.',
    );
    expect(sentence('[]')).toContain('must hold one JSON object');
  });

  test('warn of names that nothing reads', () => {
    expect(load({ 'projectAnchor.minimax.modell': 'x', 'minimax.model': 'y' }).warnings).toEqual([
      '/data/config.json: "projectAnchor.minimax.modell" is ignored: there is no such setting.',
      '/data/config.json: "minimax.model" is ignored: write "projectAnchor.minimax.model".',
    ]);
  });

  test('never hold a value', () => {
    const secret = 'sk-0123456789abcdef';
    const texts = [
      sentence({ 'projectAnchor.minimax.apiKey': secret }),
      sentence({ 'projectAnchor.minimax.baseUrl': `https://user:${secret}@example.com` }),
      sentence({ 'projectAnchor.hub.port': secret }),
      sentence(`{"projectAnchor.minimax.apiKey": ${secret}}`),
      sentence(null, { PROJECT_ANCHOR_HUB_URL: `ws://${secret}.example` }),
      sentence(null, { PROJECT_ANCHOR_MINIMAX_API_KEY: `${secret}\nx: y` }),
      sentence(null, { PROJECT_ANCHOR_SNAPSHOT_EXCLUDE: secret }),
    ];
    for (const text of texts) expect(text).not.toContain(secret.slice(0, 6));
  });

  test('are all there is for any text of the file', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          load(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'config' });
        }
      }),
    );
  });
});

describe('secrets', () => {
  test('come from variables and show themselves only when asked', () => {
    const { secrets } = load(null, {
      PROJECT_ANCHOR_MINIMAX_API_KEY: ' sk-abc ',
      PROJECT_ANCHOR_POWERCONTEXT_AUTHORIZATION: 'Bearer t',
    });
    expect(secrets.minimaxApiKey?.reveal()).toBe('sk-abc');
    expect(secrets.powercontextAuthorization?.reveal()).toBe('Bearer t');
    for (const shown of [
      JSON.stringify(secrets),
      inspect(secrets, { depth: 9, showHidden: true }),
      `${secrets.minimaxApiKey}`,
    ]) {
      expect(shown).not.toContain('sk-abc');
      expect(shown).toContain('[secret]');
    }
  });

  test('are absent when the variable is empty', () => {
    expect(load(null, { PROJECT_ANCHOR_MINIMAX_API_KEY: '  ' }).secrets).toEqual({});
    expect(new Secret('x').toJSON()).toBe('[secret]');
  });
});
