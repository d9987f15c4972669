import { readFileSync } from 'node:fs';
import { codeOf } from '../../base/index.ts';

/** The text of a file; empty when there is none. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
