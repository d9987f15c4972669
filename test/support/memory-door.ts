import type { FrameSocket } from '../../src/delta/frame-socket.ts';
import type { HubDoor } from '../../src/delta/hub-door.ts';
import type { HubAddress } from '../../src/delta/hub-file.ts';
import { type HubBench, TOKEN } from './hub-bench.ts';
import type { MemorySocket } from './socket-pair.ts';

/** A door to a hub in memory; a test closes it, forges the proof or spoils the line. */
export class MemoryDoor implements HubDoor {
  address: HubAddress | null = { url: 'ws://127.0.0.1:7/v1', token: TOKEN };
  proves = true;
  /** Monotonic time of every look for the hub. */
  readonly looks: number[] = [];
  readonly dials: number[] = [];
  /** The client's end and the hub's end of every connection so far. */
  readonly lines: { readonly client: MemorySocket; readonly hub: MemorySocket }[] = [];
  /** Called with both ends before anything is sent. */
  spoil: (client: MemorySocket, hub: MemorySocket) => void = () => undefined;
  /** Connections do not come about while set. */
  down = false;
  #bench: HubBench;

  constructor(bench: HubBench) {
    this.#bench = bench;
  }

  /** Another hub takes over. */
  replace(bench: HubBench): void {
    this.#bench = bench;
  }

  async find(): Promise<HubAddress | null> {
    this.looks.push(this.#bench.clock.monotonic());
    return this.address;
  }

  async prove(): Promise<boolean> {
    return this.proves;
  }

  async connect(): Promise<FrameSocket> {
    this.dials.push(this.#bench.clock.monotonic());
    if (this.down) throw new Error('connection refused');
    const { client, hub } = this.#bench.open();
    this.lines.push({ client, hub });
    this.spoil(client, hub);
    return client;
  }

  async poke(): Promise<boolean> {
    return this.proves;
  }
}
