/** The demo, step by step, over the built command line and real processes. */
import { spawn } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { makeSampleProject } from './sample-project.mjs';

/** Longest that one command may take, in milliseconds. */
const COMMAND_LIMIT_MS = 60_000;
/** Longest that a mark may take to arrive at the other process, in milliseconds. */
const ARRIVAL_LIMIT_MS = 15_000;
/** Files whose size and time are compared before and after; a larger project is compared as far as that. */
const COMPARED_FILES = 20_000;
/** Files that are looked into to find one with something to show. */
const RANKED_FILES = 1_000;
const STEPS = 7;
/** Languages that outlines are made of. */
const OUTLINED = new Set(['ts', 'tsx', 'js', 'jsx']);

/**
 * @typedef {{ id: string, ops: { op: string, target?: string }[], at: string, seq: number }} Delta
 * @typedef {{ kind: string, ref: string, tokens: number, why: string }} Item
 */

export class Demo {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #children = new Set();
  /** @type {string | undefined} */
  #temporary;
  #step = 0;
  #folder = '';
  #options;

  /** @param {{ cli: string, folder: string | undefined, current: string, colours: boolean }} options */
  constructor(options) {
    this.#options = options;
  }

  async run() {
    const begun = performance.now();
    const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'project-anchor-demo-')));
    this.#temporary = temporary;
    this.#folder = await this.#chooseFolder(join(temporary, 'tidewater'));
    const before = fingerprint(this.#folder);

    this.#heading('The project');
    await this.#show(['anchor']);

    this.#heading('A snapshot: what is true now');
    await this.#show(['snapshot']);
    const { file, line } = await this.#chooseFile();

    this.#heading('A second process starts to listen, over a hub of its own');
    const hub = JSON.parse(await this.#firstLine(this.#start(['hub', '--json'])));
    this.#say(`hub    ${hub.url}, this machine only`);
    const watch = this.#start(['watch', '--json']);
    const arrivals = new Arrivals(watch);
    this.#say(`watch  ${await this.#readyToFollow(watch)}`);

    this.#heading('A mark, and how long it takes to get there');
    const target = file ?? '.';
    await this.#show(['focus', 'add', target, 'priority=high']);
    const { delta, at } = await arrivals.of(({ ops }) => ops.some(({ op }) => op === 'add_focus'), ARRIVAL_LIMIT_MS);
    const ms = Math.max(0, at - Date.parse(delta.at));
    this.#say(`delta #${delta.seq} arrived at the second process ${ms} ms after the mark was made`);

    this.#heading(file === null ? 'What a model would be told' : `What a completion at ${file}:${line} would be told`);
    await this.#showContext(file, line);

    this.#heading('The log, verified from its beginning');
    await this.#show(['verify']);

    this.#heading('The project is as it was');
    this.#say(compared(before, fingerprint(this.#folder)));
    console.log(`\n${this.#bold('Done')} in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  }

  /** Ends what was started and removes what was written. Safe to call twice. */
  cleanUp() {
    for (const child of this.#children) child.kill('SIGKILL');
    this.#children.clear();
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 5 });
  }

  /** @param {string} sample where a sample project goes when there is no other */
  async #chooseFolder(sample) {
    const { folder, current } = this.#options;
    if (folder !== undefined) return realpathSync(folder);
    const git = await gitToplevel(current);
    if (git.toplevel !== null) return git.toplevel;
    makeSampleProject(sample, git.installed);
    const why = git.installed ? 'this folder is not a git repository' : 'there is no git on this machine';
    console.log(`A sample project is used, because ${why}. To see your own: npm run demo FOLDER`);
    return sample;
  }

  /** A file that shows the most: source code with imports, else source code, else any text. */
  async #chooseFile() {
    /** @type {{ path: string, size: number, language: string | null }[]} */
    const files = (await this.#cli(['files', '--json']))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const usable = files.filter(({ size, language }) => size > 0 && size < 100_000 && language !== null);
    const code = usable.filter(({ language }) => OUTLINED.has(language ?? '')).slice(0, RANKED_FILES);
    if (code.length === 0) {
      this.#say('There is no TypeScript or JavaScript here, so there are no outlines: these come from them.');
    }
    const ranked = (code.length > 0 ? code : usable).toSorted(
      (a, b) =>
        Number(isTest(a.path)) - Number(isTest(b.path)) ||
        this.#imports(b.path) - this.#imports(a.path) ||
        b.size - a.size ||
        (a.path < b.path ? -1 : 1),
    );
    const file = ranked[0]?.path ?? null;
    if (file === null) this.#say('There is no source file here, so the project itself is marked.');
    return { file, line: file === null || code.length === 0 ? 1 : await this.#lineInside(file) };
  }

  /**
   * How many of the project's own files a file seems to import.
   * @param {string} path
   */
  #imports(path) {
    return readFileSync(join(this.#folder, path), 'utf8').match(/from ['"]\.{1,2}\//g)?.length ?? 0;
  }

  /**
   * A line inside the last function or method, where one might be typing.
   * @param {string} file
   */
  async #lineInside(file) {
    /** @type {{ items: { kind: string, start: number, end: number }[] }} */
    const { items } = JSON.parse(await this.#cli(['outline', file, '--json']));
    const last = items.filter(({ kind }) => kind === 'function' || kind === 'method').at(-1);
    return last === undefined ? 1 : Math.min(last.start + 1, last.end);
  }

  /**
   * @param {string | null} file
   * @param {number} line
   */
  async #showContext(file, line) {
    const request =
      file === null
        ? ['--type', 'chat', '--question', 'What is this project?']
        : ['--type', 'completion', '--file', file, '--line', String(line)];
    /** @type {{ context: string, receipt: { tokens: number, bytes: number, contextHash: string, items: Item[], dropped: Item[] } }} */
    const { context, receipt } = JSON.parse(await this.#cli(['context', ...request, '--json']));
    if (context === '') throw new Error('the context is empty');
    for (const text of context.split('\n')) this.#say(this.#dim(`| ${text}`));
    this.#say('');
    this.#say(`receipt: ${receipt.tokens} tokens, ${receipt.bytes} bytes, hash ${receipt.contextHash.slice(0, 16)}`);
    for (const { kind, ref, tokens, why } of receipt.items) {
      this.#say(`  ${String(tokens).padStart(5)}  ${kind.padEnd(12)} ${ref}  ${this.#dim(why)}`);
    }
    for (const { kind, ref, tokens, why } of receipt.dropped) {
      this.#say(this.#dim(`  left out: ${tokens}  ${kind} ${ref}  ${why}`));
    }
  }

  /** @param {readonly string[]} args */
  async #show(args) {
    this.#say(this.#dim(`$ project-anchor ${args.join(' ')}`));
    for (const line of (await this.#cli(args)).trimEnd().split('\n')) this.#say(line);
  }

  /**
   * Runs a command to its end and gives what it printed.
   * @param {readonly string[]} args
   * @returns {Promise<string>}
   */
  async #cli(args) {
    const child = this.#start(args);
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_LIMIT_MS);
    /** @type {[string, string, number | null]} */
    const [out, err, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise((done) => child.once('close', done)),
    ]);
    clearTimeout(timer);
    if (code !== 0) throw new Error(`"project-anchor ${args.join(' ')}" failed: ${err.trim() || `exit code ${code}`}`);
    return out;
  }

  /** @param {readonly string[]} args */
  #start(args) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PROJECT_ANCHOR_')));
    const child = spawn(process.execPath, [this.#options.cli, ...args, '--cwd', this.#folder], {
      env: { ...env, NO_COLOR: '1', PROJECT_ANCHOR_HOME: join(this.#temporary ?? '', 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  /** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child */
  async #firstLine(child) {
    return lineFrom(child, child.stdout, ARRIVAL_LIMIT_MS);
  }

  /** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child */
  async #readyToFollow(child) {
    return lineFrom(child, child.stderr, ARRIVAL_LIMIT_MS);
  }

  /** @param {string} text */
  #heading(text) {
    this.#step += 1;
    console.log(`\n${this.#bold(`${this.#step}/${STEPS}  ${text}`)}`);
  }

  /** @param {string} text */
  #say(text) {
    console.log(text === '' ? '' : `     ${text}`);
  }

  /** @param {string} text */
  #bold(text) {
    return this.#options.colours ? `\u001b[1m${text}\u001b[22m` : text;
  }

  /** @param {string} text */
  #dim(text) {
    return this.#options.colours ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/**
 * Whether a file is no part of what the project does, as far as its path says.
 * @param {string} path
 */
function isTest(path) {
  return /(^|\/)(tests?|__tests__|specs?|fixtures|examples?)\/|\.(test|spec)\./.test(path);
}

/** The deltas that a watching process prints, with the time at which each was read here. */
class Arrivals {
  /** @type {{ delta: Delta, at: number }[]} */
  #seen = [];
  /** @type {() => void} */
  #wake = () => undefined;
  #ended = false;

  /** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child */
  constructor(child) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#seen.push({ delta: JSON.parse(line), at: Date.now() });
      this.#wake();
    });
    child.once('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /**
   * @param {(delta: Delta) => boolean} wanted
   * @param {number} limitMs
   */
  async of(wanted, limitMs) {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const found = this.#seen.find(({ delta }) => wanted(delta));
      if (found !== undefined) return found;
      const left = deadline - Date.now();
      if (this.#ended || left <= 0) throw new Error('the mark did not arrive at the second process');
      await new Promise((done) => {
        const timer = setTimeout(done, left, undefined);
        this.#wake = () => {
          clearTimeout(timer);
          done(undefined);
        };
      });
    }
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {import('node:stream').Readable} stream
 * @param {number} limitMs
 * @returns {Promise<string>}
 */
function lineFrom(child, stream, limitMs) {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error('a process said nothing in time')), limitMs);
    const lines = createInterface({ input: stream });
    lines.once('line', (line) => {
      clearTimeout(timer);
      lines.close();
      stream.resume();
      done(line);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      failed(new Error(`a process ended early with code ${code}`));
    });
  });
}

/**
 * @param {import('node:stream').Readable} stream
 * @returns {Promise<string>}
 */
async function textOf(stream) {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

/**
 * @param {string} folder
 * @returns {Promise<{ installed: boolean, toplevel: string | null }>}
 */
function gitToplevel(folder) {
  return new Promise((done) => {
    const child = spawn('git', ['rev-parse', '--show-toplevel'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const out = textOf(child.stdout.setEncoding('utf8'));
    child.once('error', () => done({ installed: false, toplevel: null }));
    child.once('close', async (code) => done({ installed: true, toplevel: code === 0 ? (await out).trim() : null }));
  });
}

/**
 * Size and time of every file, git's own included.
 * @param {string} folder
 * @returns {Map<string, string>}
 */
function fingerprint(folder) {
  /** @type {Map<string, string>} */
  const files = new Map();
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && files.size < COMPARED_FILES; next = folders.pop()) {
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') folders.push(path);
        continue;
      }
      const status = lstatSync(path, { throwIfNoEntry: false });
      if (status !== undefined) files.set(relative(folder, path), `${status.size} ${status.mtimeMs}`);
    }
  }
  return files;
}

/**
 * A folder that cannot be read, or is gone by now, has nothing to compare.
 * @param {string} folder
 */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * @param {Map<string, string>} before
 * @param {Map<string, string>} after
 */
function compared(before, after) {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  if (changed.length === 0) return `Nothing in it was changed: ${before.size} files compared, git's own included.`;
  return `Another program changed ${changed.slice(0, 3).join(', ')} meanwhile; this demo writes nothing there.`;
}
