import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ManagedProcess } from '../process.ts';
import { setUp } from '../setup-script.ts';

/** The server imports for about 8 s on an idle machine of two cores. */
const START_TIMEOUT_MS = 90_000;
/** A port may be taken between finding it and using it. */
const START_ATTEMPTS = 3;

/** A PowerContext Scope, as `/v1/scopes` describes it. */
export interface Scope {
  readonly scope_id: string;
  readonly title: string;
  readonly summary: string;
  readonly version: number;
}

export interface PowerContextAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text when it is none. */
  readonly body: unknown;
}

export interface PowerContextOptions {
  /** With a token the server refuses requests that do not carry it. */
  readonly token?: string;
}

/** Whether a PowerContext Server can be started on this machine, and why not; installs it on the first call. */
export function powerContextAvailable(): ReturnType<typeof setUp> {
  return setUp('setup-powercontext');
}

/**
 * A real PowerContext Server on a random port of 127.0.0.1 with a database of its own, which lives until `dispose`.
 * It has no model, so it remembers only what it is told to, and finds by words.
 */
export class PowerContextServer {
  #token: string | undefined;
  readonly #command: string;
  readonly #home: string;
  #process: ManagedProcess | undefined;
  #port = 0;

  private constructor(command: string, options: PowerContextOptions) {
    this.#command = command;
    this.#token = options.token;
    this.#home = realpathSync(mkdtempSync(join(tmpdir(), 'pa-powercontext-')));
  }

  static async start(options: PowerContextOptions = {}): Promise<PowerContextServer> {
    const available = await powerContextAvailable();
    if (!available.ready) throw new Error(available.reason);
    const server = new PowerContextServer(String(available['command']), options);
    try {
      await server.#startOnFreePort();
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Where it listens; the same after a restart. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Everything the server has said since the first start. */
  log(): string {
    return this.#process?.log() ?? '';
  }

  /** One request; the token of the server is sent unless other headers are given. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers = this.authorization(),
  ): Promise<PowerContextAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseJson(text) };
  }

  authorization(): Record<string, string> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }

  /** The Scope that the server makes for itself at its first start. */
  async defaultScope(): Promise<Scope> {
    return (await this.#expect(200, 'GET', '/v1/scopes/default')) as Scope;
  }

  async createScope(title: string): Promise<Scope> {
    const request = { title, summary: title, idempotency_key: crypto.randomUUID() };
    return (await this.#expect(201, 'POST', '/v1/scopes', request)) as Scope;
  }

  /** Makes the server remember one decision; it can be recalled as soon as this returns. */
  async remember(scopeId: string, text: string): Promise<void> {
    await this.#expect(200, 'POST', '/v1/memory/remember', { scope_id: scopeId, kind: 'decision', text });
  }

  /** The first recall of a process loads the Chinese dictionary for a second; this has it done before anything is timed. */
  async warmUp(): Promise<void> {
    const { scope_id } = await this.defaultScope();
    await this.#expect(200, 'POST', '/v1/context/prepare', { scope_id, query: '为什么' });
  }

  /** Makes every request hang without closing its connection. */
  freeze(): void {
    this.#process?.signal('SIGSTOP');
  }

  thaw(): void {
    this.#process?.signal('SIGCONT');
  }

  /** Ends the program; port and database stay, for `restart`. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#process?.stop(signal);
  }

  /** Starts again on the same port and database; with options as they are now, else as before. */
  async restart(options: PowerContextOptions = this.#token === undefined ? {} : { token: this.#token }): Promise<void> {
    await this.stop();
    this.#token = options.token;
    await this.#run();
  }

  /** Ends the program and removes everything it wrote. */
  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  async #startOnFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.#port = await freePort();
      try {
        return await this.#run();
      } catch (error) {
        const portTaken = /address already in use/i.test(this.log());
        await this.stop();
        if (!portTaken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  async #run(): Promise<void> {
    this.#process = new ManagedProcess({
      command: this.#command,
      // Without the flag the server would read a .env file of the folder it runs in.
      args: ['server', 'run', '--no-env-file', '--host', '127.0.0.1', '--port', String(this.#port)],
      cwd: this.#home,
      env: this.#environment(),
      logFile: join(this.#home, 'server.log'),
    });
    await this.#process.ready(() => this.#isReady(), START_TIMEOUT_MS, 'the PowerContext Server to be ready');
  }

  async #isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/health/ready`);
    await response.body?.cancel();
    return response.ok;
  }

  #environment(): NodeJS.ProcessEnv {
    const access = { POWERCONTEXT_SERVER_ACCESS_MODE: 'enforced', POWERCONTEXT_SERVER_AUTH_TOKEN: this.token };
    return {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      HOME: this.#home,
      TMPDIR: this.#home,
      POWERCONTEXT_HOME: this.#home,
      POWERCONTEXT_SERVER_DATABASE_URL: `sqlite+aiosqlite:///${join(this.#home, 'powercontext.db')}`,
      POWERCONTEXT_SERVER_MCP_ENABLED: 'false',
      POWERCONTEXT_SERVER_METRICS_ENABLED: 'false',
      ...(this.token === undefined ? {} : access),
    };
  }

  async #expect(status: number, method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.call(method, path, body);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
