import type { OutlineItem } from '../../snapshot/index.ts';
import { oneLine } from '../fence.ts';

/** A symbol on one line: its signature, or its kind and name where there is none. It never looks like a line of a diff. */
export function codeText({ kind, name, signature = '' }: OutlineItem): string {
  const code = oneLine(signature);
  if (code === '') return `${kind} ${oneLine(name)}`;
  return /^[-+]/.test(code) ? `${kind} ${code}` : code;
}
