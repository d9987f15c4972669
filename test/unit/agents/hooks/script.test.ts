import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOOK_NAMES, type HookPlan, hookScript, readHook } from '../../../../src/agents/hooks/script.ts';

const PLAN: HookPlan = { name: 'post-commit', launcher: '/opt/pa/bin/project-anchor', data: '/home/me/data', made: 0 };

const plan = fc.record({
  name: fc.constantFrom(...HOOK_NAMES),
  launcher: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `/${text.replaceAll('\0', '')}`)),
  data: fc.string({ unit: 'grapheme' }).map((text) => `/${text.replaceAll('\0', '')}`),
  made: fc.nat({ max: 9 }),
});

describe('what a hook is', () => {
  test('ours is known, with what it remembers, whatever the paths', () => {
    fc.assert(
      fc.property(plan, (each) => {
        expect(readHook(hookScript(each))).toEqual({ kind: 'ours', made: each.made });
      }),
    );
  });

  test('with any line changed, added or taken away it is not untouched any more', () => {
    const lines = hookScript(PLAN).split('\n');
    for (let at = 3; at < lines.length - 1; at++) {
      for (const edited of [
        lines.with(at, `${lines[at]} `),
        lines.toSpliced(at, 1),
        lines.toSpliced(at, 0, 'echo mine'),
      ]) {
        expect([at, readHook(edited.join('\n')).kind]).toEqual([at, 'changed']);
      }
    }
    expect(readHook(`${hookScript(PLAN)}echo mine\n`).kind).toBe('changed');
  });

  test('another program is', () => {
    for (const text of ['', '#!/bin/sh\n', '#!/usr/bin/env node\n# ProjectAnchor git hook', '\u007fELF\u0000']) {
      expect(readHook(text)).toEqual({ kind: 'foreign' });
    }
  });
});

describe('the script', () => {
  test.each(HOOK_NAMES)('%s is valid for a POSIX shell', (name) => {
    execFileSync('sh', ['-n'], { input: hookScript({ ...PLAN, name }), stdio: ['pipe', 'pipe', 'pipe'] });
  });

  test('paths are words of the shell, whatever is in them', () => {
    const odd = `/it's "$HOME" \`id\` \\ \n*`;
    const script = hookScript({ ...PLAN, launcher: odd, data: odd });
    const [before = ''] = script.split('\nlives() {');
    const shown = execFileSync('sh', ['-s'], {
      input: `${before}\nprintf '%s|%s' "$launcher" "$data"`,
      encoding: 'utf8',
    });
    expect(shown).toBe(`${odd}|${odd}`);
  });

  test('Windows paths are written as its shell reads them', () => {
    const script = hookScript({ ...PLAN, launcher: 'C:\\Users\\Me\\bin\\project-anchor', data: 'C:\\Users\\Me\\Data' });
    expect(script).toContain("launcher='C:/Users/Me/bin/project-anchor'\ndata='C:/Users/Me/Data'\n");
  });
});
