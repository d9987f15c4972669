import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThinkStripper } from '../../../src/inject/think-stripper.ts';

/** What the whole text shows, said another way than the code does. */
const visible = (text: string): string =>
  text.replace(/<(?:mm:)?think>[\s\S]*?(?:<\/(?:mm:)?think>|$)|<\/(?:mm:)?think>|\]<\]minimax\[>\[/g, '');

function inPieces(text: string, cuts: readonly number[]): string {
  const stripper = new ThinkStripper();
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  let shown = '';
  let from = 0;
  for (const to of [...places, text.length]) {
    shown += stripper.push(text.slice(from, to));
    from = to;
  }
  return shown + stripper.end();
}

describe('ThinkStripper', () => {
  it.each([
    ['<think>hm</think>a', 'a'],
    ['a<mm:think>hm</mm:think>b', 'ab'],
    ['a</think>b', 'ab'],
    ['a]<]minimax[>[b', 'ab'],
    ['a<think>never closed', 'a'],
    ['<mm:think>x</think>y', 'y'],
    ['<think>a<think>b</think>c</think>d', 'cd'],
    ['if (a < b) <thin', 'if (a < b) <thin'],
    [']<<think>x</think>', ']<'],
  ])('%j shows %j', (text, shown) => {
    expect(inPieces(text, [])).toBe(shown);
    expect(visible(text)).toBe(shown);
    for (let cut = 0; cut <= text.length; cut++) expect(inPieces(text, [cut])).toBe(shown);
  });

  it('equals stripping the whole text, wherever it is cut', () => {
    const piece = fc.constantFrom(
      '<think>',
      '</think>',
      '<mm:think>',
      '</mm:think>',
      ']<]minimax[>[',
      '<',
      '</',
      '<mm:',
      ']<',
      ']<]',
      'think>',
      '>',
      '[',
      'a',
      '\n',
      '思',
    );
    const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 40 }), (whole, cuts) => {
        expect(inPieces(whole, cuts)).toBe(visible(whole));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives visible text at once and holds back only what may become a marker', () => {
    const stripper = new ThinkStripper();
    expect(stripper.push('abc<t')).toBe('abc');
    expect(stripper.push('able>')).toBe('<table>');
  });
});
