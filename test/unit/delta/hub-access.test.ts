import { describe, expect, it } from 'vitest';
import { checkHubHost } from '../../../src/delta/hub.ts';
import {
  hostAllowed,
  isNonce,
  newNonce,
  newToken,
  originAllowed,
  proofOf,
  sameSecret,
} from '../../../src/delta/hub-access.ts';
import { hubUrlRefusal } from '../../../src/delta/hub-door.ts';
import { isOwnHubUrl } from '../../../src/delta/hub-file.ts';

describe('who may talk to a hub', () => {
  it('refuses to listen off this machine with one sentence that says what would be needed', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.2', 'example.com']) {
      expect(() => checkHubHost(host)).toThrow(/TLS and an access file.*later version.*127\.0\.0\.1/);
    }
    expect(() => checkHubHost('127.0.0.1')).not.toThrow();
  });

  it.each([
    ['127.0.0.1:99', true],
    ['localhost:99', true],
    ['LOCALHOST:99', true],
    ['[::1]:99', true],
    ['127.0.0.1:98', false],
    ['127.0.0.1', false],
    ['evil.example:99', false],
    ['127.0.0.1.evil.example:99', false],
    ['127.0.0.1:99:99', false],
    ['', false],
    [undefined, false],
  ])('judges the Host %s of a server on port 99', (header, allowed) => {
    expect(hostAllowed(header, 99, '127.0.0.1')).toBe(allowed);
  });

  it('lets programs in, which send no Origin, and the pages that are allowed', () => {
    expect(originAllowed(undefined, [])).toBe(true);
    expect(originAllowed('http://127.0.0.1:99', [])).toBe(false);
    expect(originAllowed('null', [])).toBe(false);
    expect(originAllowed('http://127.0.0.1:99', ['http://127.0.0.1:99'])).toBe(true);
  });

  it('proves a token without telling it', () => {
    const token = newToken();
    const nonce = newNonce();
    expect(proofOf(token, nonce)).toMatch(/^[0-9a-f]{64}$/);
    expect(proofOf(token, nonce)).not.toBe(proofOf(newToken(), nonce));
    expect(proofOf(token, nonce)).not.toBe(proofOf(token, newNonce()));
    expect(isNonce(nonce)).toBe(true);
    for (const bad of [null, '', 'short', 'x'.repeat(129), 'has space in it!']) expect(isNonce(bad)).toBe(false);
  });

  it('compares secrets of any length', () => {
    expect(sameSecret('a', 'a')).toBe(true);
    expect(sameSecret('a', 'b')).toBe(false);
    expect(sameSecret('a', 'aa')).toBe(false);
    expect(sameSecret('', '')).toBe(true);
  });
});

describe('where a hub may be', () => {
  it.each([
    ['ws://127.0.0.1:99/v1', true],
    ['ws://localhost:99/v1', true],
    ['ws://[::1]:99/v1', true],
    ['wss://127.0.0.1:99/v1', false],
    ['ws://127.0.0.1:99/', false],
    ['ws://127.0.0.1/v1', false],
    ['http://127.0.0.1:99/v1', false],
    ['ws://hub.example:99/v1', false],
    ['ws://127.0.0.1@hub.example:99/v1', false],
    ['hub', false],
  ])('%s is the hub of this machine: %s', (url, own) => {
    expect(isOwnHubUrl(url)).toBe(own);
    if (own) expect(hubUrlRefusal(url)).toBeNull();
    else expect(hubUrlRefusal(url)).toMatch(/own data folder.*later version.*Leave the setting empty\./);
  });
});
