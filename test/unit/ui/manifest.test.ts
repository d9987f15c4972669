import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { SETTING_NAMES } from '../../../src/agents/index.ts';
import { Commands, EXTENSION_ID, SETTINGS_SECTION, Views } from '../../../src/ui/ids.ts';

const { contributes } = manifest;

describe('the manifest and the code', () => {
  it('name the same commands', () => {
    expect(contributes.commands.map(({ command }) => command).toSorted()).toEqual(Object.values(Commands).toSorted());
  });

  it('have menus for known commands only', () => {
    const known = new Set<string>(Object.values(Commands));
    for (const { command } of Object.values(contributes.menus).flat()) expect(known).toContain(command);
  });

  it('name the same views, settings and extension', () => {
    expect(
      Object.values(contributes.views)
        .flat()
        .map(({ id }) => id),
    ).toEqual(Object.values(Views));
    const properties = contributes.configuration.flatMap((section) => Object.keys(section.properties));
    expect(properties.toSorted()).toEqual(SETTING_NAMES.map((name) => `${SETTINGS_SECTION}.${name}`).toSorted());
    expect(`${manifest.publisher}.${manifest.name}`).toBe(EXTENSION_ID);
  });

  it('give every command the category by which people find it', () => {
    for (const { category } of contributes.commands) expect(category).toBe('ProjectAnchor');
  });
});
