import { onTestFinished } from 'vitest';
import type { Editor } from './editor.ts';
import { type EditorWindow, RESULTS } from './window.ts';

/**
 * Keeps a picture of the window and the logs when the running test fails. Call it inside a test or `beforeEach`, after
 * whatever ends the editor was registered: what is registered last happens first.
 */
export function keepEvidence(editor: Editor, window: EditorWindow): void {
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await window.screenshot(`failed-${task.name}`);
    editor.keepLogs(RESULTS, `failed-${task.name.replace(/[^\p{L}\p{N}-]+/gu, '-')}`);
  });
}
