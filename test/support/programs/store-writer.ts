/**
 * A second process on the same data folder. Arguments: data folder, what to do, and its own.
 *   append COUNT [SHARED_ID]   appends so many deltas at once, then one with the shared id; prints one ack per line
 *   forever                    appends one delta after the other and prints each ack when it is durable
 *   open                       opens and closes the store; prints "open", or the code of the error
 *   attach NAME                attaches an anchor of its own to each of 40 directories; prints whose each became
 *   machine                    prints the machine id and the agent tag
 *   hold                       keeps a write transaction open until its stdin ends; prints "held"
 */

import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { codeOf, silentLogger, systemClock } from '../../../src/base/index.ts';
import type { DeltaDraft, EmbeddedLog } from '../../../src/delta/index.ts';
import { agentTag, DATABASE_NAME, machineId, openStore } from '../../../src/store/index.ts';

const ANCHOR = 'https://example.org/p#main@2026-11-30T12:00:00.000Z';
const AT = '2026-11-30T12:00:00.000Z';
const [folder = '', command = '', ...rest] = process.argv.slice(2);

function say(line: unknown): void {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}

function draft(id = uuidv7()): DeltaDraft {
  return {
    schema: 'projectanchor.delta.v1',
    anchor: ANCHOR,
    id,
    author: { agent: 'cli-0000', session: String(process.pid) },
    at: AT,
    ops: [{ op: 'add_focus', target: `${process.pid}.ts`, by: 'user', at: AT }],
  };
}

async function withLog(work: (log: EmbeddedLog) => Promise<void>): Promise<void> {
  // Only who appends waits for the log to load.
  const { EmbeddedLog } = await import('../../../src/delta/embedded-log.ts');
  const store = await openStore({ folder, logger: silentLogger() });
  const log = new EmbeddedLog({ store, clock: systemClock(), logger: silentLogger() });
  await work(log);
  await log.close();
  store.close();
}

async function main(): Promise<void> {
  switch (command) {
    case 'append':
      await withLog(async (log) => {
        const drafts = Array.from({ length: Number(rest[0]) }, () => draft());
        if (rest[1] !== undefined) drafts.push(draft(rest[1]));
        for (const ack of await Promise.all(drafts.map((each) => log.append(each)))) say(ack);
      });
      return;
    case 'forever':
      await withLog(async (log) => {
        for (;;) say(await log.append(draft()));
      });
      return;
    case 'open':
      (await openStore({ folder, logger: silentLogger() })).close();
      say('open');
      return;
    case 'attach': {
      const store = await openStore({ folder, logger: silentLogger() });
      for (let n = 0; n < 40; n++) {
        const anchor = { id: `${rest[0]}-${n}`, repository: `r${n}`, mainBranch: 'main', attachedAt: AT };
        say(store.anchors.attach(anchor, { commonDir: `/r${n}/.git` }).id);
      }
      store.close();
      return;
    }
    case 'machine':
      say(`${machineId(folder)} ${agentTag(folder)}`);
      return;
    case 'hold': {
      const { DatabaseSync } = await import('node:sqlite');
      const database = new DatabaseSync(join(folder, DATABASE_NAME));
      database.exec(`${rest[0] === 'exclusive' ? 'PRAGMA locking_mode = EXCLUSIVE;' : ''} BEGIN IMMEDIATE`);
      if (rest[0] === 'exclusive') database.exec('CREATE TABLE held (a); COMMIT');
      say('held');
      process.stdin.once('end', () => database.close());
      process.stdin.resume();
      return;
    }
    default:
      throw new Error(`no such command: ${command}`);
  }
}

main().catch((error: unknown) => {
  say(codeOf(error) ?? String(error));
  process.exitCode = 1;
});
