import { getPriority, setPriority } from 'node:os';
import { type Logger, messageOf } from '../base/index.ts';

/**
 * A step below what people wait for: a quarter of the processor where others want it too, all of it where nobody does.
 * Windows takes it for the ordinary priority.
 */
export const BEHIND_THE_EDITOR = 5;

/** Lets everything else on the machine go first, from the calling process. */
export function goBehindTheEditor(logger: Logger): void {
  try {
    if (getPriority() < BEHIND_THE_EDITOR) setPriority(BEHIND_THE_EDITOR);
  } catch (error) {
    logger.debug(`The priority stays as it is: ${messageOf(error)}`);
  }
}

/** The same for the calling thread alone, where the system has priorities of threads. */
export function goBehindTheOtherThreads(logger: Logger): void {
  // Elsewhere it would be that of the whole process, the editor included (setpriority(2), "C library/kernel differences").
  if (process.platform === 'linux') goBehindTheEditor(logger);
}
