import { hash } from '../base/index.ts';
import type { Author } from '../delta/index.ts';

/**
 * Who this process is in the log: the program with four hex digits of this machine, never a person's name.
 *
 * @param program `cli`, `vscode`, ...
 * @param machine the data folder's machine id, of which only a hash is used
 * @param session a random id of this run
 */
export function authorOf(program: string, machine: string, session: string): Author {
  return { agent: `${program}-${hash(['pa.agent.v1', machine]).slice(0, 4)}`, session };
}
