import type { Agent, IncomingMessage } from 'node:http';
import { type Clock, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { FrameSocket } from './frame-socket.ts';
import { newNonce, proofOf, sameSecret } from './hub-access.ts';
import { type HubAddress, isOwnHubUrl, readHubFile } from './hub-file.ts';
import { ID_PATH, MAX_FRAME_BYTES, POKE_PATH, PROTOCOL } from './hub-limits.ts';
import { wsSocket } from './ws-socket.ts';

/** How a client comes to a hub. The real one reads this machine's file and opens sockets; tests have their own. */
export interface HubDoor {
  /** Where the hub says it is, or null when there is none. */
  find(): Promise<HubAddress | null>;
  /** Whether whoever listens there knows the token; false also when nobody does. Never sends the token. */
  prove(address: HubAddress): Promise<boolean>;
  /** Opens a connection; rejects when that fails. */
  connect(address: HubAddress): Promise<FrameSocket>;
  /**
   * Tells the hub that the file has something new. False when no hub was told.
   * @param proven a connection to this hub is open, so that nobody else can listen there; else it has to prove itself
   */
  poke(address: HubAddress, proven: boolean): Promise<boolean>;
}

/** A hub of this machine answers at once or never; ms. */
const ANSWER_WITHIN_MS = 2_000;
/** A proof is 79 bytes. Whatever is longer is not one. */
const MAX_ANSWER_BYTES = 1_024;

/** The door to the hub of one data folder. */
export function localHubDoor(folder: string, clock: Clock, logger: Logger): HubDoor {
  let agent: Agent | undefined;
  const prove = async (address: HubAddress) => {
    const nonce = newNonce();
    try {
      const answer = await http(address, 'GET', `${ID_PATH}?n=${nonce}`, {}, clock);
      return answer.status === 200 && sameSecret(answer.text, JSON.stringify({ proof: proofOf(address.token, nonce) }));
    } catch (error) {
      logger.debug(`no hub answers at ${address.url}: ${messageOf(error)}`);
      return false;
    }
  };
  return {
    find: () => readHubFile(folder),
    prove,
    async connect(address) {
      const { WebSocket } = await import('ws');
      const socket = new WebSocket(address.url, PROTOCOL, {
        perMessageDeflate: false,
        maxPayload: MAX_FRAME_BYTES,
        handshakeTimeout: ANSWER_WITHIN_MS,
      });
      return await new Promise<FrameSocket>((resolve, reject) => {
        const opened = wsSocket(socket, (error) => {
          logger.debug(`the connection to ${address.url} failed: ${messageOf(error)}`);
          reject(error);
        });
        socket.once('open', () => resolve(opened));
      });
    },
    async poke(address, proven) {
      if (!proven && !(await prove(address))) return false;
      const { Agent } = await import('node:http');
      // Pokes come in rows; an idle connection does not keep the process alive.
      agent ??= new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { authorization: `Bearer ${address.token}` };
      const answer = await http(address, 'POST', POKE_PATH, headers, clock, agent);
      return answer.status === 204;
    },
  };
}

/**
 * The same door, for who was told an address: it opens only while that is the hub of this data folder.
 * @throws ProjectAnchorError `hub_foreign` from `find` while another hub, or the hub of another folder, is meant.
 */
export function onlyHub(door: HubDoor, url: string): HubDoor {
  return {
    ...door,
    async find() {
      const address = await door.find();
      if (address !== null && portOf(address.url) !== portOf(url)) throw foreignHub(url);
      return address;
    },
  };
}

/** Why an address can never be the hub of this data folder, or null. */
export function hubUrlRefusal(url: string): string | null {
  return isOwnHubUrl(url) ? null : foreignHub(url).message;
}

function portOf(url: string): string {
  return new URL(url).port;
}

function foreignHub(url: string): ProjectAnchorError {
  return new ProjectAnchorError(
    'hub_foreign',
    `projectAnchor.hub.url names ${url}, and this version only connects to the hub of its own data folder; hubs elsewhere will come in a later version.`,
    'Leave the setting empty.',
  );
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function http(
  address: HubAddress,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
  agent?: Agent,
): Promise<Answer> {
  // Most commands meet no hub and start without it.
  const { request } = await import('node:http');
  const url = new URL(path, address.url.replace(/^ws:/, 'http:'));
  return await new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: agent ?? false }, (response) => {
      read(response)
        .then(resolve, reject)
        .finally(() => limit.dispose());
    });
    const limit = clock.timeout(ANSWER_WITHIN_MS, () => call.destroy(new Error('no answer within 2 s')));
    call.on('error', (error) => {
      limit.dispose();
      reject(error);
    });
    call.end();
  });
}

async function read(response: IncomingMessage): Promise<Answer> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
  }
  return { status: response.statusCode ?? 0, text };
}
