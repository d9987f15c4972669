import { describe, expect, it } from 'vitest';
import type { HubStatus } from '../../../src/delta/index.ts';
import { DEGRADED_CODES, describeDegraded } from '../../../src/snapshot/index.ts';
import { type ReadyStatus, statusText } from '../../../src/ui/status-text.ts';

function ready(change: Partial<ReadyStatus> = {}): ReadyStatus {
  return {
    kind: 'ready',
    project: 'shop',
    head: { kind: 'branch', branch: 'main', commit: 'a'.repeat(40) },
    marks: 3,
    hub: { kind: 'hub', waiting: 0, agents: 2 },
    notice: null,
    watching: null,
    degraded: [],
    outside: false,
    ...change,
  };
}

describe('statusText', () => {
  it('shows project, branch, marks and how the window is connected', () => {
    const { text, label, severity } = statusText(ready());
    expect(text).toBe('$(pin) shop  $(git-branch) main  $(bookmark) 3  $(check) in sync, 1 other');
    expect(label).toBe('ProjectAnchor: shop, main, 3 marks, in sync, 1 other');
    expect(severity).toBe('normal');
  });

  it.each<[HubStatus, string, string]>([
    [{ kind: 'alone', waiting: 0 }, 'alone', 'normal'],
    [{ kind: 'hub', waiting: 0, agents: 1 }, 'in sync', 'normal'],
    [{ kind: 'connected', waiting: 0, agents: 3 }, 'in sync, 2 others', 'normal'],
    [{ kind: 'offline', waiting: 0 }, 'offline', 'normal'],
    [{ kind: 'offline', waiting: 4 }, 'offline, 4 waiting', 'normal'],
    [{ kind: 'memory', waiting: 0, reason: 'The database is newer. Update ProjectAnchor.' }, 'not saved', 'warning'],
    [{ kind: 'refused', waiting: 0, reason: 'Hubs elsewhere are not supported.' }, 'refused', 'warning'],
  ])('says how it is connected: %j', (hub, word, severity) => {
    const status = statusText(ready({ hub }));
    expect(status.text.endsWith(` ${word}`)).toBe(true);
    expect(status.severity).toBe(severity);
    if (hub.reason !== undefined) expect(status.tooltip).toContain(hub.reason);
  });

  it('puts a notice first, and says it in a word', () => {
    const status = statusText(
      ready({ notice: { source: 'completions', sentence: 'The key was refused. Set it again.' } }),
    );
    expect(status.severity).toBe('warning');
    expect(status.text.endsWith('$(warning) no completions')).toBe(true);
    expect(status.tooltip[0]).toBe('The key was refused. Set it again.');
    expect(status.label).toBe('ProjectAnchor: shop, main, 3 marks, no completions. The key was refused. Set it again.');
  });

  it('says calmly that nothing of a file is sent, and keeps worse news in sight', () => {
    const notice = { source: 'refused', sentence: 'Nothing is sent about this file.' } as const;
    expect(statusText(ready({ notice }))).toMatchObject({ severity: 'normal' });
    expect(statusText(ready({ notice, hub: { kind: 'memory', waiting: 0 } }))).toMatchObject({ severity: 'warning' });
  });

  it.each(DEGRADED_CODES)('says in the tooltip that something could not be read: %s', (code) => {
    for (const said of [code, `${code}:src/a.ts`]) {
      const { tooltip } = statusText(ready({ degraded: [said] }));
      const sentence = tooltip.find((each) => each === describeDegraded(said));
      expect(sentence).toMatch(/^[A-Z][^_]* [^_]*[.]$/);
    }
  });

  it('counts what it does not list of that', () => {
    const { tooltip } = statusText(ready({ degraded: ['shallow', 'file_limit', 'no_git', 'bare', 'too_large:a.ts'] }));
    expect(tooltip).toContain(describeDegraded('no_git'));
    expect(tooltip).not.toContain(describeDegraded('bare'));
    expect(tooltip).toContain('2 more things could not be read.');
  });

  it('says calmly that a repository is not watched', () => {
    const { tooltip, severity } = statusText(ready({ watching: 'It is looked at every 2 seconds.' }));
    expect(tooltip).toContain('It is looked at every 2 seconds.');
    expect(severity).toBe('normal');
  });

  it('says that the active file is in no project', () => {
    expect(statusText(ready({ outside: true })).tooltip.join(' ')).toContain('in no project of this window');
    expect(statusText(ready()).tooltip.join(' ')).not.toContain('in no project');
  });

  it('says how to make the first mark', () => {
    expect(statusText(ready({ marks: 0 })).tooltip.join(' ')).toContain('Mark as Context Focus');
    expect(statusText(ready({ marks: 1 })).tooltip.join(' ')).not.toContain('Mark as Context Focus');
  });

  it.each([
    [undefined, 'no snapshot yet'],
    [{ kind: 'none' } as const, 'no repository'],
    [{ kind: 'unborn', branch: 'main' } as const, 'main (no commits yet)'],
    [{ kind: 'detached', commit: '0123456789abcdef' } as const, 'detached at 01234567'],
  ])('puts HEAD into words: %j', (head, words) => {
    expect(statusText(ready({ head })).text).toContain(words);
  });

  it('shortens long names in the item, not in the tooltip, and lets none draw an icon', () => {
    const project = `$(alert)${'😀'.repeat(60)}`;
    const { text, tooltip } = statusText(ready({ project }));
    expect(text).not.toContain('$(alert)');
    expect(text.isWellFormed()).toBe(true);
    expect([...text].filter((point) => point === '😀').length).toBeLessThan(32);
    expect(tooltip.join('\n')).toContain(project);
  });

  it('says what restricted means and what to do, and the same for every state that is not ready', () => {
    expect(statusText({ kind: 'restricted' }).tooltip.join(' ')).toContain('Manage Workspace Trust');
    expect(statusText({ kind: 'no-folder' }).tooltip.join(' ')).toContain('Open a folder');
    expect(statusText({ kind: 'no-repository' }).tooltip.join(' ')).toMatch(/in no repository.*Open the folder/);
    expect(statusText({ kind: 'starting', project: 'shop' }).label).toContain('starting');
    const failed = statusText({ kind: 'failed', project: 'shop', sentence: 'git was not found. Install it.' });
    expect(failed).toMatchObject({ severity: 'error' });
    expect(failed.tooltip[0]).toBe('git was not found. Install it.');
  });
});
