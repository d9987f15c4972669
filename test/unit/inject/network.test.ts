import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/base/index.ts';
import { endpoint, under } from '../../../src/inject/endpoint.ts';
import { NetworkGate, networkReason, readCapped, TooLargeError } from '../../../src/inject/network.ts';

function spy(answer: () => Response = () => new Response('ok')) {
  const sent: string[] = [];
  const inits: RequestInit[] = [];
  const fetch = async (url: string | URL, init?: RequestInit) => {
    sent.push(String(url));
    if (init !== undefined) inits.push(init);
    return answer();
  };
  return { sent, inits, fetch };
}

const codeOfFailure = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => codeOf(error),
  );

describe('NetworkGate', () => {
  it('contacts configured servers only, as the settings are at that moment', async () => {
    const { sent, fetch } = spy();
    const configured = ['https://api.minimax.io/v1', ''];
    const gate = new NetworkGate(() => configured, fetch);
    await gate.fetch('https://api.minimax.io/v1/chat/completions');
    for (const url of [
      'https://api.minimax.io.evil.test/v1',
      'http://api.minimax.io/v1',
      'https://api.minimax.io:444/v1',
      'https://evil.test/?https://api.minimax.io',
      'https://api.minimax.io@evil.test/',
      'http://localhost:1',
    ]) {
      expect(await codeOfFailure(gate.fetch(url))).toBe('network_refused');
    }
    configured.push('http://localhost:1');
    await gate.fetch(new URL('http://localhost:1/x'));
    expect(sent).toEqual(['https://api.minimax.io/v1/chat/completions', 'http://localhost:1/x']);
  });

  it('lets addresses that break the rules allow nothing', async () => {
    const { sent, fetch } = spy();
    const bad = ['http://192.168.0.1/v1', 'https://a:b@memory.test', 'nonsense'];
    const gate = new NetworkGate(() => bad, fetch);
    for (const url of ['http://192.168.0.1/v1', 'https://memory.test']) {
      expect(await codeOfFailure(gate.fetch(url))).toBe('network_refused');
    }
    expect(sent).toEqual([]);
  });

  it('never follows a redirect, whatever the caller wishes', async () => {
    const { inits, fetch } = spy(() => new Response(null, { status: 302, headers: { location: 'https://evil.test' } }));
    const gate = new NetworkGate(() => ['https://a.test'], fetch);
    expect(await codeOfFailure(gate.fetch('https://a.test', { redirect: 'follow' }))).toBe('network_redirect');
    expect(inits[0]?.redirect).toBe('manual');
  });

  it('says in its sentence which server and what to do', async () => {
    await expect(new NetworkGate(() => [], spy().fetch).fetch('https://a.test/x')).rejects.toThrow(
      'A request to https://a.test was stopped, because no setting names that server. Set its address',
    );
  });
});

describe('endpoint', () => {
  it.each([
    'https://a.test',
    'https://a.test:8443/v1/',
    'http://localhost',
    'http://127.0.0.1:17429',
    'http://[::1]:1',
    ' https://a.test ',
  ])('takes %j', (text) => {
    expect(endpoint(text, 's').href).toMatch(/^https?:/);
  });

  it.each([
    ['', 'not a web address'],
    ['http://a.test', 'must use https'],
    ['http://10.0.0.1', 'must use https'],
    ['http://localhost.evil.test', 'must use https'],
    ['http://0.0.0.0', 'must use https'],
    ['ws://localhost', 'must start with https'],
    ['file:///etc/passwd', 'must start with https'],
    ['https://u@a.test', 'user name or password'],
    ['https://:secret@a.test', 'user name or password'],
    ['https://a.test/?x=secret', 'query or fragment'],
    ['https://a.test/#', 'query or fragment'],
  ])('refuses %j', (text, words) => {
    expect(() => endpoint(text, 'projectAnchor.x')).toThrow(words);
    expect(() => endpoint(text, 'projectAnchor.x')).not.toThrow('secret');
  });

  it('appends a path once', () => {
    expect(under(endpoint('https://a.test/v1//', 's'), 'x').href).toBe('https://a.test/v1/x');
    expect(under(endpoint('https://a.test', 's'), 'x').href).toBe('https://a.test/x');
  });
});

describe('reading answers', () => {
  it('stops at its limit, declared or not', async () => {
    expect(await readCapped(new Response('abc'), 3)).toBe('abc');
    await expect(readCapped(new Response('abcd'), 3)).rejects.toThrow(TooLargeError);
    await expect(readCapped(new Response('a', { headers: { 'content-length': '4' } }), 3)).rejects.toThrow(
      TooLargeError,
    );
    await expect(readCapped(new Response(new Uint8Array([0xff])), 3)).rejects.toThrow();
    expect(await readCapped(new Response(null), 3)).toBe('');
  });

  it('finds the reason that libraries hide', () => {
    const inner = new Error('connect ECONNREFUSED ::1:1');
    const tried = new AggregateError([inner], '');
    expect(
      networkReason(new Error('Connection error.', { cause: new TypeError('fetch failed', { cause: tried }) })),
    ).toBe('connect ECONNREFUSED ::1:1');
    expect(networkReason('odd')).toBe('odd');
  });
});
