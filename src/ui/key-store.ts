import { type Disposable, DisposableStore, Emitter, type Event } from '../base/index.ts';

/** The part of the editor's secret storage that is used. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  onDidChange(listener: (change: { readonly key: string }) => void): Disposable;
}

const SECRET = 'projectAnchor.minimax.keys';

/** Server (origin) → key. */
type Keys = Readonly<Record<string, string>>;

/**
 * The MiniMax keys, each bound to the server it was entered for: settings that come to name another server find no
 * key there, and so nothing is sent. Held in memory after the first look; other windows' changes are followed.
 */
export class KeyStore implements Disposable {
  readonly #secrets: SecretStore;
  readonly #owned = new DisposableStore();
  readonly #changed: Emitter<void>;
  #keys: Promise<Keys> | null = null;

  constructor(secrets: SecretStore, onError: (error: unknown) => void) {
    this.#secrets = secrets;
    this.#changed = this.#owned.add(new Emitter<void>(onError));
    this.#owned.add(
      secrets.onDidChange(({ key }) => {
        if (key !== SECRET) return;
        this.#keys = null;
        this.#changed.fire();
      }),
    );
  }

  /** A key was set or removed, here or in another window. */
  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  /** The key for the server of a base URL, or undefined. */
  async get(baseUrl: string): Promise<string | undefined> {
    const keys = await this.#all();
    const origin = originOf(baseUrl);
    return Object.hasOwn(keys, origin) ? keys[origin] : undefined;
  }

  /** Stores the key for the server of a base URL. */
  async set(baseUrl: string, key: string): Promise<void> {
    await this.#write({ ...(await this.#all()), [originOf(baseUrl)]: key });
  }

  /** Forgets every key; false when there was none. */
  async clear(): Promise<boolean> {
    const had = Object.keys(await this.#all()).length > 0;
    await this.#secrets.delete(SECRET);
    this.#keys = null;
    this.#changed.fire();
    return had;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #all(): Promise<Keys> {
    this.#keys ??= this.#read();
    return this.#keys;
  }

  async #read(): Promise<Keys> {
    const text = await this.#secrets.get(SECRET);
    if (text === undefined) return {};
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null ? (value as Keys) : {};
    } catch (error) {
      // Something else was stored under this name: nobody's key.
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }

  async #write(keys: Keys): Promise<void> {
    await this.#secrets.store(SECRET, JSON.stringify(keys));
    this.#keys = null;
    this.#changed.fire();
  }
}

function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}
