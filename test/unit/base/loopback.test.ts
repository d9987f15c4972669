import { expect, it } from 'vitest';
import { isLoopback } from '../../../src/base/index.ts';

it('knows loopback from everything else', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', 'LOCALHOST'])
    expect(isLoopback(host)).toBe(true);
  for (const host of [
    '0.0.0.0',
    '::',
    '192.168.1.2',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '1270.0.0.1',
    '',
  ]) {
    expect(isLoopback(host)).toBe(false);
  }
});
