import { type Logger, messageOf } from '../base/index.ts';
import type { HubDoor } from './hub-door.ts';

/** Tells the hub that the file has something new: one call at a time, and one more when that was not the last word. */
export class Poker {
  readonly #door: HubDoor;
  readonly #logger: Logger;
  #again = false;
  #connectedTo: string | undefined;
  #running: Promise<void> | undefined;

  constructor(door: HubDoor, logger: Logger) {
    this.#door = door;
    this.#logger = logger;
  }

  /**
   * Does not wait and never fails: a hub also finds out by itself.
   * @param connectedTo url of the hub to which a connection is open at this moment
   */
  poke(connectedTo?: string): void {
    this.#again = true;
    this.#connectedTo = connectedTo;
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        const address = await this.#door.find();
        if (address !== null) await this.#door.poke(address, address.url === this.#connectedTo);
      } catch (error) {
        this.#logger.debug(`the hub was not told: ${messageOf(error)}`);
      }
    }
    this.#running = undefined;
  }
}
