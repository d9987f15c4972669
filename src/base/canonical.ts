import { createHash } from 'node:crypto';
import { configure } from 'safe-stable-stringify';
import { ProjectAnchorError } from './errors.ts';

/** JSON as the protocol allows it: integers only, no lone surrogates, `undefined` members are absent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

const stringify = configure({ circularValue: Error, bigint: false, strict: true });

function refuse(what: string): never {
  throw new ProjectAnchorError('invalid', `${what} cannot be written in canonical JSON.`);
}

/** How deep lists and objects may lie in one another. The protocol needs about ten; a hostile nesting must not overflow the stack. */
const MAX_DEPTH = 64;

/** The library writes what it cannot express as null or drops it; the protocol calls those values invalid. */
function check(value: unknown, depth: number): void {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) refuse('A string with a lone surrogate');
      return;
    case 'number':
      if (!Number.isSafeInteger(value)) refuse(`The number ${value}`);
      return;
    case 'boolean':
    case 'undefined':
      return;
    case 'object':
      break;
    default:
      refuse(`A value of type ${typeof value}`);
  }
  if (value === null) return;
  if (depth === MAX_DEPTH) refuse(`A value nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    for (const item of value) {
      if (item === undefined) refuse('An absent list item');
      check(item, depth + 1);
    }
    return;
  }
  for (const [key, member] of Object.entries(value as object)) {
    if (!key.isWellFormed()) refuse('A key with a lone surrogate');
    check(member, depth + 1);
  }
}

/**
 * The RFC 8785 (JCS) form of a value. Keys are sorted by UTF-16 code units, absent members are left out.
 * @throws ProjectAnchorError `invalid` for numbers that are not safe integers, lone surrogates, functions, bigints, and
 *   nesting deeper than 64.
 */
export function canonical(value: unknown): string {
  check(value, 0);
  const text = stringify(value);
  if (text === undefined) return refuse('An absent value');
  return text;
}

/** `hash(x)` of the protocol: lower-case hex SHA-256 over the UTF-8 bytes of the canonical form (protocol §1). */
export function hash(value: unknown): string {
  return createHash('sha256').update(canonical(value), 'utf8').digest('hex');
}
