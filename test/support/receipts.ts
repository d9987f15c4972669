import { v7 as uuidv7 } from 'uuid';
import { genesis } from '../../src/delta/index.ts';
import type { ReceiptDraft } from '../../src/inject/index.ts';
import { ANCHOR } from './arbitraries/delta.ts';

/** A receipt as an injector would hand it to the log. */
export function receiptDraft(more: Partial<ReceiptDraft> = {}): ReceiptDraft {
  return {
    id: uuidv7(),
    at: '2026-11-30T12:00:00.000Z',
    anchor: ANCHOR,
    workspace: 'a'.repeat(32),
    snapshot: null,
    head: genesis(more.anchor ?? ANCHOR),
    asOf: '2026-11-30T12:00:00.000Z',
    type: 'completion',
    file: 'src/a.ts',
    items: [{ kind: 'tags', ref: 'src/a.ts', tokens: 7, why: 'marked' }],
    dropped: [],
    tokens: 7,
    bytes: 30,
    recall: { status: 'off', ms: 0, bytes: 0 },
    contextHash: 'c'.repeat(64),
    ...more,
  };
}
