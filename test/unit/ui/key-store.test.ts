import { describe, expect, it } from 'vitest';
import { KeyStore, type SecretStore } from '../../../src/ui/key-store.ts';

/** Secret storage of one person, seen by any number of windows. */
class FakeSecrets implements SecretStore {
  readonly values = new Map<string, string>();
  readonly #listeners = new Set<(change: { key: string }) => void>();
  reads = 0;

  async get(name: string) {
    this.reads++;
    return this.values.get(name);
  }

  async store(name: string, value: string) {
    this.values.set(name, value);
    for (const listener of this.#listeners) listener({ key: name });
  }

  async delete(name: string) {
    this.values.delete(name);
    for (const listener of this.#listeners) listener({ key: name });
  }

  onDidChange(listener: (change: { key: string }) => void) {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }
}

const failed = (error: unknown) => {
  throw error;
};

describe('KeyStore', () => {
  it('gives a key to the server it was entered for and to no other', async () => {
    const keys = new KeyStore(new FakeSecrets(), failed);
    await keys.set('https://api.minimax.io/v1', 'secret');
    expect(await keys.get('https://api.minimax.io/anthropic')).toBe('secret');
    expect(await keys.get('https://evil.example/v1')).toBeUndefined();
    expect(await keys.get('https://api.minimax.io:8443/v1')).toBeUndefined();
  });

  it('reads the storage once and follows other windows', async () => {
    const secrets = new FakeSecrets();
    const [one, two] = [new KeyStore(secrets, failed), new KeyStore(secrets, failed)];
    let told = 0;
    one.onDidChange(() => told++);
    expect(await one.get('https://a/')).toBeUndefined();
    expect(await one.get('https://a/')).toBeUndefined();
    expect(secrets.reads).toBe(1);
    await two.set('https://a/', 'k');
    expect(told).toBe(1);
    expect(await one.get('https://a/')).toBe('k');
  });

  it('forgets every key at once, and says whether there was one', async () => {
    const secrets = new FakeSecrets();
    const keys = new KeyStore(secrets, failed);
    await keys.set('https://a/', '1');
    await keys.set('https://b/', '2');
    expect(await keys.clear()).toBe(true);
    expect(await keys.get('https://b/')).toBeUndefined();
    expect(secrets.values.size).toBe(0);
    expect(await keys.clear()).toBe(false);
  });

  it.each(['not json', '"text"', 'null'])('takes something else stored under its name as no key: %s', async (text) => {
    const secrets = new FakeSecrets();
    const keys = new KeyStore(secrets, failed);
    await keys.set('https://a/', '1');
    for (const name of secrets.values.keys()) await secrets.store(name, text);
    expect(await keys.get('https://a/')).toBeUndefined();
  });

  it('does not find keys of Object.prototype', async () => {
    expect(await new KeyStore(new FakeSecrets(), failed).get('constructor:x')).toBeUndefined();
  });
});
