import type { Author } from '../delta/index.ts';

/**
 * Who this process is in the log: the program with the random tag of this machine, never a person's name.
 *
 * @param program `cli`, `vscode`, ...
 * @param tag four hex digits, `agentTag` of the data folder
 * @param session a random id of this run
 */
export function authorOf(program: string, tag: string, session: string): Author {
  return { agent: `${program}-${tag}`, session };
}
