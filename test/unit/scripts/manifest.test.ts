import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesOf } from '../../../scripts/lint/manifest.mjs';

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
}

interface MenuItem {
  readonly command: string;
  readonly when: string;
}

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
const { commands, settings, views } = namesOf(manifest);
const properties: Record<string, Setting> = Object.assign(
  {},
  ...manifest.contributes.configuration.map((group: { properties: object }) => group.properties),
);

/** The table of settings: name, default. */
const DEFAULTS = {
  'minimax.baseUrl': 'https://api.minimax.io/v1',
  'minimax.model': 'MiniMax-M3',
  'minimax.completions.enabled': true,
  'context.completionTokens': 1200,
  'context.explainTokens': 1800,
  'context.signatures': true,
  'powercontext.url': '',
  'powercontext.scopeId': '',
  'powercontext.recall': 'auto',
  'powercontext.maxBytes': 2400,
  'powercontext.requestTimeoutMs': 1000,
  'powercontext.budgetMs': 4000,
  'powercontext.capture': false,
  'hub.url': '',
  'hub.port': 0,
  'hub.share': 'marks',
  'snapshot.intervalMinutes': 15,
  'snapshot.exclude': [],
  'snapshot.mainBranch': '',
  'tags.dictionary': {},
  'tags.complexityThreshold': 15,
  'tags.halfLifeDays': 9,
};

test('who it is and what it runs on', () => {
  expect(manifest).toMatchObject({
    publisher: 'project-anchor',
    name: 'project-anchor',
    displayName: 'ProjectAnchor',
    engines: { vscode: '^1.104.0' },
    main: './dist/extension.js',
    activationEvents: ['onStartupFinished'],
    extensionKind: ['workspace'],
    license: 'MIT',
  });
  expect(manifest.devDependencies['@types/vscode']).toBe('1.104.0');
});

test('every version is exact, and the traps among them are pinned', () => {
  const versions: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const [name, version] of Object.entries(versions)) expect(`${name} ${version}`).toMatch(/ \d+\.\d+\.\d+$/);
  expect(versions).toMatchObject({ vite: '8.3.4', typescript: expect.stringMatching(/^6\.0\./), node: '24.21.0' });
  expect(manifest.allowScripts).toEqual({ node: true, esbuild: true, '@vscode/vsce-sign': false });
});

test('the lock file names no registry', () => {
  const lock = readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved"');
});

describe('settings', () => {
  test('names and defaults', () => {
    const defaults = Object.fromEntries(settings.map((name) => [name, properties[name]!.default]));
    const expected = Object.entries(DEFAULTS).map(([name, value]) => [`projectAnchor.${name}`, value]);
    expect(defaults).toEqual(Object.fromEntries(expected));
  });

  test.each(settings)('%s says what it does, and its default fits its type', (name) => {
    const setting = properties[name]!;
    expect(setting.markdownDescription).toMatch(/^[A-Z].*\.$/);
    expect(setting.scope).toMatch(/^(machine-overridable|resource)$/);
    const value = setting.default;
    const type = Array.isArray(value) ? 'array' : typeof value;
    expect(setting.type).toBe(type === 'number' && setting.type === 'integer' ? 'integer' : type);
    if (setting.enum !== undefined) {
      expect(setting.enum).toContain(value);
      expect(setting.enumDescriptions).toHaveLength(setting.enum.length);
    }
    if (typeof value === 'number') {
      expect(value).toBeGreaterThanOrEqual(setting.minimum ?? 0);
      expect(value).toBeLessThanOrEqual(setting.maximum ?? Number.POSITIVE_INFINITY);
    }
  });

  test('nothing that an untrusted workspace sets can redirect a request or widen what leaves', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe('limited');
    for (const name of settings.filter((each) =>
      /\.(baseUrl|url|port|scopeId|model|share|capture|exclude)$/.test(each),
    )) {
      expect(restrictedConfigurations).toContain(name);
    }
    expect(settings).toEqual(expect.arrayContaining(restrictedConfigurations));
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe(false);
  });

  test('no secret is a setting', () => {
    expect(
      settings.filter((name) => /key|token|secret|authorization|password/i.test(name.replace(/Tokens$/, ''))),
    ).toEqual([]);
  });
});

describe('commands and menus', () => {
  const menus: Record<string, MenuItem[]> = manifest.contributes.menus;

  test('commands', () => {
    const ids = ['markFocus', 'unmark', 'showContext', 'takeSnapshot', 'explain', 'setKey', 'signOut', 'showLog'];
    expect(commands.toSorted()).toEqual(ids.map((id) => `projectAnchor.${id}`).sort());
    for (const command of manifest.contributes.commands) expect(command.category).toBe('ProjectAnchor');
  });

  test('menus name declared commands, and only in a trusted workspace', () => {
    for (const { command, when } of Object.values(menus).flat()) {
      expect(commands).toContain(command);
      expect(when).toMatch(/isWorkspaceTrusted/);
    }
  });

  test.each(['explorer/context', 'editor/context', 'editor/title/context'])(
    'a file can be marked and unmarked in %s',
    (menu) => {
      const names = menus[menu]!.map(({ command }) => command);
      expect(names).toEqual(expect.arrayContaining(['projectAnchor.markFocus', 'projectAnchor.unmark']));
    },
  );

  test('the context view has a container of its own', () => {
    expect(views).toEqual(['projectAnchor.context']);
    expect(manifest.contributes.viewsContainers.activitybar).toMatchObject([{ id: 'projectAnchor' }]);
  });
});
