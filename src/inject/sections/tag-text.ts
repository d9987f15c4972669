import { oneLine, quoted } from '../fence.ts';

/** A tag on one line; its value is somebody's text and stays inside its quotes. */
export function tagText(key: string, value: string): string {
  return `${/^[\p{Ll}\p{Lo}\p{N}_]{1,64}$/u.test(key) ? key : quoted(key)}: ${quoted(value)}`;
}

/** A weight in thousandths the way people write it. */
export function weightText(thousandths: number): string {
  return `weight ${(thousandths / 1000).toFixed(2)}`;
}

/** A target's string form on one line. */
export function targetText(target: string): string {
  return target === '.' ? 'the project' : oneLine(target);
}
