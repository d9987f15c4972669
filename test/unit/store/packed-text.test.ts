import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packHash, packId, packText, unpackHash, unpackId, unpackText } from '../../../src/store/packed-text.ts';

const longText = fc
  .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
  .map((text) => text.repeat(40));

test('every text comes back, whatever it is stored against', () => {
  fc.assert(
    fc.property(longText, fc.array(longText, { maxLength: 3 }), (text, repeats) => {
      expect(unpackText(packText(text, repeats), () => repeats)).toBe(text);
    }),
  );
  const lone = '\ud800'.repeat(600);
  expect(unpackText(packText(lone))).toBe(lone);
});

test('a text that another one repeats takes next to nothing; a short one stays readable', () => {
  const text = Array.from({ length: 200 }, (_, n) => `line ${(n * 7919) % 1000}`).join();
  expect(packText(text, [text]).length).toBeLessThan(60);
  expect(packText(text).length).toBeLessThan(text.length);
  expect(packText('{}')).toBe('{}');
});

test('what is damaged is not taken for text', () => {
  const packed = Buffer.from(packText('words and words '.repeat(99)) as Uint8Array);
  expect(() => unpackText(Buffer.of(9, ...packed.subarray(1)))).toThrow('unknown form');
  expect(() => unpackText(packed.subarray(0, 9))).toThrow();
  expect(() => unpackText(7)).toThrow('unknown form');
});

const hex64 = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });

test('hashes are kept as bytes, anything else as it is', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), hex64), (hash) => unpackHash(packHash(hash)) === hash));
  expect(packHash('ab'.repeat(32)).length).toBe(32);
  fc.assert(fc.property(fc.oneof(fc.string(), fc.uuid()), (id) => unpackId(packId(id)) === id));
  expect(packId('01a22e29-ed98-7682-b2d2-d04de7493228').length).toBe(16);
});
