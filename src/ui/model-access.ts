import type { Clock } from '../base/index.ts';
import { createLazyMiniMaxClient, type Fetch, type ModelClient } from '../inject/index.ts';
import type { Destination } from './explain.ts';
import type { KeyStore } from './key-store.ts';
import type { EditorSettings } from './settings.ts';

/** The model that the settings name, with the key that is stored for its server. */
export class ModelAccess {
  readonly #settings: () => EditorSettings;
  readonly #keys: KeyStore;
  /** Its library is loaded with the first request. */
  readonly model: ModelClient;

  /** @param fetch the network gate's. */
  constructor(settings: () => EditorSettings, keys: KeyStore, fetch: Fetch, clock: Clock) {
    this.#settings = settings;
    this.#keys = keys;
    this.model = createLazyMiniMaxClient({
      target: () => ({ baseUrl: this.#baseUrl, model: settings().settings['minimax.model'] }),
      apiKey: () => keys.get(this.#baseUrl),
      fetch,
      clock,
    });
  }

  /** Where requests go, as the settings say now. */
  get destination(): Destination {
    return { host: new URL(this.#baseUrl).host, model: this.#settings().settings['minimax.model'] };
  }

  async hasKey(): Promise<boolean> {
    return (await this.#keys.get(this.#baseUrl)) !== undefined;
  }

  /** Why nothing may be sent now, in a sentence that says what to do; null when something may. */
  async problem(): Promise<string | null> {
    const [wrong] = this.#settings().problems;
    if (wrong !== undefined) return wrong;
    if (await this.hasKey()) return null;
    return `No key for ${this.destination.host} is set, so nothing is sent. Set one first.`;
  }

  get #baseUrl(): string {
    return this.#settings().settings['minimax.baseUrl'];
  }
}
