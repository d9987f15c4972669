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

/** How deep `hashing` takes a value apart; what lies deeper is written at once. The items of a delta's outlines do. */
const APART = 5;

/**
 * The same as `hash` for plain data, in steps of less than a millisecond for what a delta may hold, so that others can
 * have a turn between them. The value must not change meanwhile.
 */
export function* hashing(value: unknown): Generator<void, string> {
  const whole = createHash('sha256');
  for (const part of partsOf(value, 0)) {
    whole.update(part, 'utf8');
    yield;
  }
  return whole.digest('hex');
}

/** The canonical form in parts: each list item and each member that holds others, down to `APART`, is one or several. */
function* partsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === APART) {
    check(value, depth);
    yield stringify(value) ?? refuse('An absent value');
  } else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value as readonly unknown[]) {
      yield before;
      yield* partsOf(item, depth + 1);
      before = ',';
    }
    yield value.length === 0 ? '[]' : ']';
  } else {
    const members = value as Readonly<Record<string, unknown>>;
    let before = '{';
    // The order of UTF-16 code units is the one that `sort` has by itself.
    for (const key of Object.keys(members).sort()) {
      if (members[key] === undefined) continue;
      yield `${before}${canonical(key)}:`;
      yield* partsOf(members[key], depth + 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}
