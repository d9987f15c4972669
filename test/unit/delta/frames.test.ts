import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Decoded,
  decodeFromHub,
  decodeToHub,
  encode,
  encodeDelta,
  encodeDeltas,
  type Frame,
  isFinal,
  pages,
} from '../../../src/delta/frames.ts';
import { MAX_FRAME_BYTES, MAX_ITEMS } from '../../../src/delta/hub-limits.ts';
import { chainOf, draft, tagOp, testAnchor } from '../../support/deltas.ts';

const anchor = testAnchor();
const hex = 'ab'.repeat(32);
const head = { seq: 3, hash: hex };

const TO_HUB: Frame[] = [
  { t: 'hello', n: 1, protocols: ['projectanchor.v1'], token: 't', agent: 'vscode-1a2b', session: 's' },
  { t: 'hello', protocols: [], token: '', agent: 'a', session: 's', anchors: [anchor.id] },
  { t: 'attach', n: 2, repository: anchor.repository, mainBranch: 'main', attachedAt: anchor.attachedAt, aliases: [] },
  { t: 'subscribe', n: 3, anchor: anchor.id, after: head },
  { t: 'unsubscribe', anchor: anchor.id },
  { t: 'got', anchor: anchor.id, seq: 0 },
  { t: 'publish', n: 4, delta: draft(anchor) as never },
  { t: 'fetch', n: 5, anchor: anchor.id, after: 0, limit: 500 },
];

const FROM_HUB: Frame[] = [
  { t: 'welcome', re: 1, protocol: 'projectanchor.v1', heads: { [anchor.id]: head } },
  { t: 'attached', re: 2, anchor, head },
  { t: 'attached', re: 2, anchor, head, fork: true },
  { t: 'subscribed', re: 3, anchor: anchor.id, head },
  { t: 'deltas', anchor: anchor.id, items: chainOf(anchor, 2), head },
  { t: 'deltas', re: 5, anchor: anchor.id, items: [], head },
  { t: 'ack', re: 4, id: 'x', seq: 1, hash: hex },
  { t: 'nack', re: 4, id: 'x', code: 'too_fast', message: 'slower', retryAfter: 12.5 },
  { t: 'nack', re: 4, code: 'forbidden', message: 'no' },
  { t: 'snapshot_required', re: 5, anchor: anchor.id, base: { seq: 9, hash: hex, stateHash: hex } },
  { t: 'presence', anchor: anchor.id, agents: [{ agent: 'a', session: 's', since: anchor.attachedAt }] },
  { t: 'bye', retryAfter: 500 },
];

const frameOf = <T>(decoded: Decoded<T>) => (decoded.kind === 'frame' ? decoded.frame : decoded);

describe('frames', () => {
  it.each(TO_HUB)('reads its own $t on the way to the hub', (frame) => {
    expect(frameOf(decodeToHub(encode(frame)))).toEqual(frame);
  });

  it.each(FROM_HUB)('reads its own $t on the way from the hub', (frame) => {
    expect(frameOf(decodeFromHub(encode(frame)))).toEqual(frame);
  });

  it('keeps unknown fields of a delta, which belong to its hash, and ignores those of a frame', () => {
    const delta = { ...draft(anchor), mood: 'good' };
    const decoded = decodeToHub(JSON.stringify({ t: 'publish', n: 1, later: true, delta }));
    expect(decoded).toEqual({ kind: 'frame', frame: { t: 'publish', n: 1, delta } });
  });

  it.each([
    ['not JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no type', '{"n":1}'],
    ['a number as type', '{"t":1}'],
    ['hello without a token', '{"t":"hello","protocols":[],"agent":"a","session":"s"}'],
    ['a negative number', '{"t":"got","anchor":"a","seq":-1}'],
    ['a fraction', '{"t":"got","anchor":"a","seq":1.5}'],
    ['beyond 2^53', '{"t":"got","anchor":"a","seq":9007199254740993}'],
    ['a limit above 500', '{"t":"fetch","anchor":"a","after":0,"limit":501}'],
    ['a hash that is none', '{"t":"subscribe","anchor":"a","after":{"seq":0,"hash":"XX"}}'],
    ['a delta that is no object', '{"t":"publish","delta":"x"}'],
    ['nesting without end', `{"t":"publish","delta":${'['.repeat(100_000)}`],
  ])('calls %s bad, with a reason that does not repeat the content', (_what, text) => {
    const decoded = decodeToHub(text);
    expect(decoded.kind).toBe('bad');
    expect(decoded.kind === 'bad' ? decoded.reason.length : 0).toBeLessThan(200);
  });

  it('tells an unknown type from a bad frame', () => {
    expect(decodeFromHub('{"t":"weather"}')).toEqual({ kind: 'unknown', type: 'weather' });
    expect(decodeToHub('{"t":"constructor"}')).toEqual({ kind: 'unknown', type: 'constructor' });
    expect(decodeToHub('{"t":"welcome"}').kind).toBe('unknown');
  });

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((v) => JSON.stringify({ t: 'got', ...Object(v) })),
        ),
        (text) => {
          expect(['frame', 'unknown', 'bad']).toContain(decodeToHub(text).kind);
          expect(['frame', 'unknown', 'bad']).toContain(decodeFromHub(text).kind);
        },
      ),
    );
  });

  it('refuses to write a frame that is too long', () => {
    const frame: Frame = { t: 'nack', code: 'x', message: 'é'.repeat(MAX_FRAME_BYTES / 2) };
    expect(() => encode(frame)).toThrow('256 KiB');
  });

  it('writes pushes that are read back as the same deltas', () => {
    const deltas = chainOf(anchor, 3);
    const text = encodeDeltas(anchor.id, deltas.map(encodeDelta), head);
    expect(frameOf(decodeFromHub(text))).toEqual({ t: 'deltas', anchor: anchor.id, items: deltas, head });
    expect(frameOf(decodeFromHub(encodeDeltas(anchor.id, [], head, 7)))).toMatchObject({ re: 7, items: [] });
  });

  it('cuts lists into frames of at most 64 deltas and 256 KiB, none lost', () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 2, max: 130 * 1024 }), fc.constant(300)), { maxLength: 200 });
    expect(pages(Array(65).fill({ seq: 1, hash: hex, json: '', bytes: 300 })).map((page) => page.length)).toEqual([
      64, 1,
    ]);
    fc.assert(
      fc.property(sizes, (lengths) => {
        const items = lengths.map((bytes, n) => ({ seq: n + 1, hash: hex, json: '', bytes }));
        const cut = pages(items);
        expect(cut.flat()).toEqual(items);
        for (const page of cut) {
          expect(page.length).toBeGreaterThan(0);
          expect(page.length).toBeLessThanOrEqual(MAX_ITEMS);
          expect(page.reduce((sum, { bytes }) => sum + bytes + 1, 0)).toBeLessThan(MAX_FRAME_BYTES);
        }
      }),
    );
  });

  it('fits the largest delta there is into one frame', () => {
    const ops = Array.from({ length: 200 }, (_, n) => tagOp(`${'long/'.repeat(100)}${n}.ts`, 'note', 'x'.repeat(100)));
    const [item] = [encodeDelta({ ...draft(anchor, ...ops), seq: 1, prev: hex, hash: hex })];
    expect(item?.bytes).toBeGreaterThan(120 * 1024);
    expect(() => encodeDeltas(anchor.id, item === undefined ? [] : [item], head)).not.toThrow();
  });

  it('knows which refusals are final', () => {
    expect(['invalid', 'too_large', 'forbidden', 'denied', 'unsupported_op'].every(isFinal)).toBe(true);
    expect(['moved', 'busy', 'too_fast', 'something_new'].some(isFinal)).toBe(false);
  });
});
