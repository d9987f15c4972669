import { expect, test } from 'vitest';
import { decode } from '../../../src/snapshot/encoding.ts';

const text = (bytes: Buffer) => {
  const decoded = decode(bytes);
  return decoded.ok ? decoded.text : decoded;
};
const utf16be = (value: string) => Buffer.from(value, 'utf16le').swap16();

test.each([
  ['UTF-8', Buffer.from('def f(): # ü 漢 😀\n'), 'def f(): # ü 漢 😀\n'],
  ['UTF-8 with a mark', Buffer.from('\uFEFFx'), '\uFEFFx'],
  ['UTF-16 little-endian with a mark', Buffer.from('\uFEFFclass Ü {}\r\n', 'utf16le'), '\uFEFFclass Ü {}\r\n'],
  ['UTF-16 big-endian with a mark', utf16be('\uFEFFclass Ü {}'), '\uFEFFclass Ü {}'],
  [
    'Latin-1, declared',
    Buffer.from('# -*- coding: latin-1 -*-\nx = "é"\n', 'latin1'),
    '# -*- coding: latin-1 -*-\nx = "é"\n',
  ],
  [
    'Latin-1, declared for Vim in the second line',
    Buffer.from('#!/bin/x\n# vim: set fileencoding=iso-8859-1 :\né\n', 'latin1'),
    '#!/bin/x\n# vim: set fileencoding=iso-8859-1 :\né\n',
  ],
  ['GBK, declared', Buffer.concat([Buffer.from('# coding: gbk\n'), Buffer.from([0xd6, 0xd0])]), '# coding: gbk\n中'],
  [
    'Shift_JIS, declared',
    Buffer.concat([Buffer.from('# encoding: shift_jis\n'), Buffer.from([0x93, 0xfa])]),
    '# encoding: shift_jis\n日',
  ],
  [
    'XML that says so',
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><é/>', 'latin1'),
    '<?xml version="1.0" encoding="ISO-8859-1"?><é/>',
  ],
  ['nothing', Buffer.alloc(0), ''],
])('%s is read', (_, bytes, expected) => {
  expect(text(bytes)).toBe(expected);
});

test.each([
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0x62]), {}],
  ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), {}],
  ['UTF-16 without a mark', Buffer.from('class A {}', 'utf16le'), {}],
  ['an encoding that nobody knows', Buffer.from('# coding: klingon\né', 'latin1'), { encoding: 'klingon' }],
  [
    'an encoding that it is not in',
    Buffer.concat([Buffer.from('# coding: euc-jp\n'), Buffer.from([0xff, 0xff])]),
    { encoding: 'euc-jp' },
  ],
  ['a declaration in the third line', Buffer.from('#\n#\n# coding: latin-1\né', 'latin1'), {}],
  ['half a character behind a mark', Buffer.from([0xff, 0xfe, 0x41]), {}],
  ['zeros behind a mark', Buffer.from([0xff, 0xfe, 0, 0, 0, 0]), {}],
])('%s is not guessed at', (_, bytes, expected) => {
  expect(text(bytes)).toEqual({ ok: false, ...expected });
});
