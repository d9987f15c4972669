import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionText, isComplete } from '../../../src/inject/completion-text.ts';

const show = (answer: string, prefix: string, suffix = '', language = 'typescript') =>
  completionText(answer, { prefix, suffix, language });

describe('completion text', () => {
  it.each([
    ['plain', 'a + b;', 'return ', '', 'a + b;'],
    ['tags', '<COMPLETION>a + b;</COMPLETION>', 'return ', '', 'a + b;'],
    ['words around the tags', 'Sure!\n<COMPLETION>a;</COMPLETION>\nDone.', 'return ', '', 'a;'],
    ['closing tag missing', '<COMPLETION>a;', 'return ', '', 'a;'],
    ['cut inside the closing tag', '<COMPLETION>a;</COMPL', 'return ', '', 'a;'],
    ['a comparison at the end is code', 'a <', 'if (', '', 'a <'],
    ['fence', '```ts\nreturn a;\n```', '  ', '', 'return a;'],
    ['fence inside tags', '<COMPLETION>\n```ts\nreturn a;\n```\n</COMPLETION>', '  ', '', 'return a;'],
    ['fence that never closes', '```\nreturn a;', '  ', '', 'return a;'],
    ['repeated start of the line', '  const total = items.length;', 'x\n  const total = ', '', 'items.length;'],
    ['repeated start without its indentation', 'const total = items.length;', '  const total = ', '', 'items.length;'],
    ['repeated lines', 'function f() {\n  return 1;\n}', 'function f() {\n  ', '', 'return 1;\n}'],
    ['a bracket is not a repetition', '(a) => a)', 'map(', '', '(a) => a)'],
    ['repeated suffix', 'a, b);', 'call(', ');', 'a, b'],
    ['a bracket of its own stays', 'other()', 'call(', ')', 'other()'],
    ['one bracket too many goes', 'other())', 'call(', ')', 'other()'],
    ['quote of the suffix', "name'", "get('", "')", 'name'],
    ['repeated next lines', 'return a;\n}\n\nfunction g() {', '  ', '\n}\n\nfunction g() {\n}', 'return a;'],
    ['repeated next line, otherwise indented', 'return a;\n  done();', '  ', '\n\n    done();\n', 'return a;'],
    ['a block of its own stays', 'if (a) {\n  b();\n}', '', '\n', 'if (a) {\n  b();\n}'],
    ['indentation once', '    return a;\n    // b', '    ', '', 'return a;\n    // b'],
    ['blank lines first', '\n\n    return a;', '    ', '', 'return a;'],
    ['a new line behind code stays', '\n  return a;\n}', 'function f() {', '', '\n  return a;\n}'],
    ['line ends of the document', 'a;\nb;', 'x\r\n', '\r\n', 'a;\r\nb;'],
    ['line ends of the answer', 'a;\r\nb;', 'x\n', '', 'a;\nb;'],
    ['trailing space', 'a;  \n\n', 'x\n', '', 'a;'],
  ])('%s', (_name, answer, prefix, suffix, expected) => {
    expect(show(answer, prefix, suffix)).toBe(expected);
  });

  it.each(['', '   \n', '<COMPLETION></COMPLETION>', '```\n```', '</COMPLETION>'])('nothing left: %j', (answer) => {
    expect(show(answer, 'x')).toBeNull();
  });

  it('nothing but what already follows is nothing', () => {
    expect(show(');', 'call(a', ');')).toBeNull();
  });

  it('keeps fences where Markdown is written', () => {
    expect(show('```ts\na\n```', 'text\n', '', 'markdown')).toBe('```ts\na\n```');
  });

  it('knows when the closing tag has arrived', () => {
    expect(isComplete('<COMPLETION>a</COMPLETIO')).toBe(false);
    expect(isComplete('<COMPLETION>a</COMPLETION>')).toBe(true);
  });

  it('never throws, never ends in white space and never mixes line ends', () => {
    const piece = fc.constantFrom(
      'a',
      'foo',
      '(',
      ')',
      '{',
      '}',
      "'",
      ';',
      '\n',
      '\r\n',
      ' ',
      '\t',
      '```',
      '<',
      '</COMPLETION>',
      '<COMPLETION>',
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, text, (answer, prefix, suffix) => {
        const shown = show(answer, prefix, suffix);
        if (shown === null) return;
        expect(shown).toBe(shown.trimEnd());
        expect(shown.trim()).not.toBe('');
        expect(shown).not.toContain('</COMPLETION>');
        const bare = shown.replaceAll('\r\n', '').includes('\n');
        expect(bare && shown.includes('\r\n')).toBe(false);
      }),
    );
  });
});
