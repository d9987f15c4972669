import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import createMatcher, { type Ignore } from 'ignore';
import { codeOf, messageOf, ProjectAnchorError } from '../base/index.ts';
import { credentialIn } from './credentials.ts';
import { BUILD_OUTPUT, deniedPart, mayBeBuildOutput } from './deny-list.ts';
import { pathProblem } from './targets.ts';

export type GateCode =
  | 'denied_path'
  | 'excluded'
  | 'invalid_path'
  | 'too_large'
  | 'minified'
  | 'credential'
  | 'gate_error';

/** `reason` is a sentence for people. */
export type GateVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: GateCode; readonly reason: string };

/**
 * Decides what may leave (protocol §9): the only place that does. It fails closed: what it cannot judge, it refuses.
 * What `.gitignore` excludes is git's to say: such files are in no listing, and facts about them are refused there.
 */
export interface Gate {
  /** A path relative to the workspace root; a folder ends with `/`. */
  path(path: string): GateVerdict;
  /** Any text on its way out: refused when it holds a credential. */
  text(text: string): GateVerdict;
  /**
   * A file as a whole: its path, its size in bytes and, when known, its text (minified files are refused).
   * Credentials in it are `text`'s to find, in the parts that are to leave.
   */
  file(path: string, size: number, content: string | null): GateVerdict;
}

export interface GateOptions {
  /** `projectAnchor.snapshot.exclude`: patterns as in `.gitignore`, whose globs they extend. */
  readonly exclude?: readonly string[];
  /** Text of `.projectanchorignore`, same patterns; `!dist/` takes a folder of build output back. */
  readonly ignore?: string;
  /** Why the rules could not be read; everything is refused then. */
  readonly broken?: string;
}

/** Protocol §9. */
export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LINE = 10_000;
const MAX_MEAN_LINE = 400;
/** Folders whose verdict is kept: as many as large projects have. */
const MAX_FOLDERS = 20_000;
/** Longer paths are judged whole. */
const MAX_SHORT = 1_000;
/** More patterns than this are a mistake, not a list. */
const MAX_IGNORE_BYTES = 256 * 1024;

const OK: GateVerdict = { ok: true };

function refuse(code: GateCode, reason: string): GateVerdict {
  return { ok: false, code, reason };
}

/** Judges by `judge`, refusing when that fails. */
function closed(judge: () => GateVerdict): GateVerdict {
  try {
    return judge();
  } catch (error) {
    return refuse('gate_error', `This could not be checked, so it stays here: ${messageOf(error)}`);
  }
}

/**
 * Makes a gate from its rules.
 * @throws ProjectAnchorError `invalid` when an exclude pattern is not text.
 */
export function createGate({ exclude = [], ignore = '', broken }: GateOptions = {}): Gate {
  const matcher = matcherOf(exclude, ignore);
  const ownRules = exclude.length > 0 || ignore !== '';
  const judge = (candidate: string) => closed(() => judgePath(candidate, { matcher, ownRules, broken }));
  const path = byFolder(judge, ownRules);
  return {
    path,
    text: (text) => closed(() => judgeText(text)),
    file(candidate, size, content) {
      const verdict = path(candidate);
      return verdict.ok ? closed(() => judgeFile(candidate, size, content)) : verdict;
    },
  };
}

/** The gate of a workspace, with the rules of its `.projectanchorignore` if it has one. */
export async function loadGate(toplevel: string, exclude: readonly string[]): Promise<Gate> {
  try {
    const ignore = await readFile(join(toplevel, '.projectanchorignore'));
    if (ignore.length <= MAX_IGNORE_BYTES) return createGate({ exclude, ignore: ignore.toString('utf8') });
    return createGate({ exclude, broken: `.projectanchorignore is larger than ${MAX_IGNORE_BYTES / 1024} KiB` });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return createGate({ exclude });
    return createGate({ exclude, broken: `.projectanchorignore cannot be read (${messageOf(error)})` });
  }
}

function matcherOf(exclude: readonly string[], ignore: string): Ignore {
  for (const pattern of exclude) {
    if (typeof pattern !== 'string') {
      throw new ProjectAnchorError(
        'invalid',
        'projectAnchor.snapshot.exclude has an entry that is not text.',
        'Write a list of patterns such as ["generated/**"].',
      );
    }
  }
  return createMatcher({ ignorecase: true })
    .add([...BUILD_OUTPUT])
    .add(ignore)
    .add([...exclude]);
}

interface Rules {
  readonly matcher: Ignore;
  /** Whether there are others than ours. */
  readonly ownRules: boolean;
  readonly broken: string | undefined;
}

function judgePath(path: string, { matcher, ownRules, broken }: Rules): GateVerdict {
  const problem = typeof path !== 'string' ? 'is not text' : pathProblem(path.endsWith('/') ? path.slice(0, -1) : path);
  if (problem !== null) return refuse('invalid_path', `A path that ${problem} is not one of this project.`);
  if (broken !== undefined) return refuse('gate_error', `Nothing leaves while ${broken}.`);
  const denied = deniedPart(path);
  if (denied !== null) return refuse('denied_path', `${denied} is on the list of what never leaves this machine.`);
  if (!ownRules && !mayBeBuildOutput(path)) return OK;
  const { ignored, rule } = matcher.test(path);
  if (!ignored) return OK;
  const pattern = rule?.pattern ?? '';
  if (!BUILD_OUTPUT.includes(pattern)) {
    return refuse('excluded', `${path} is excluded by .projectanchorignore or projectAnchor.snapshot.exclude.`);
  }
  return refuse('denied_path', `${pattern} is taken for build output; "!${pattern}" in .projectanchorignore keeps it.`);
}

/**
 * Judges files by their folder where that is enough: whoever lists a project asks for many files of each. What a folder's
 * verdict does not decide, and every refusal with its reason, is judged on its own.
 * @param ownRules whether there are rules that may be about single files
 */
function byFolder(judge: (path: string) => GateVerdict, ownRules: boolean): (path: string) => GateVerdict {
  // A plain map: gates are made with every snapshot, and a cache of a fixed size would cost some ms each time.
  const allowed = new Map<string, boolean>();
  return (path) => {
    if (ownRules || typeof path !== 'string' || path.length > MAX_SHORT) return judge(path);
    const slash = path.lastIndexOf('/');
    const folder = path.slice(0, slash + 1);
    const name = path.slice(slash + 1);
    if (folder === '' || name === '' || name === '.' || name === '..' || name.includes('\0')) return judge(path);
    let verdict = allowed.get(folder);
    if (verdict === undefined) {
      verdict = judge(folder).ok;
      if (allowed.size >= MAX_FOLDERS) allowed.clear();
      allowed.set(folder, verdict);
    }
    return verdict && deniedPart(name) === null ? OK : judge(path);
  };
}

function judgeText(text: string): GateVerdict {
  if (typeof text !== 'string') return refuse('gate_error', 'What is not text cannot be checked, so it stays here.');
  const found = credentialIn(text);
  return found === null ? OK : refuse('credential', `The text holds what looks like ${found}.`);
}

function judgeFile(path: string, size: number, content: string | null): GateVerdict {
  if (!Number.isFinite(size) || size < 0) return refuse('gate_error', `The size of ${path} is not known.`);
  if (size > MAX_FILE_BYTES) {
    return refuse('too_large', `${path} has ${(size / MAX_FILE_BYTES).toFixed(1)} MiB; files over 1 MiB are left out.`);
  }
  if (content === null) return OK;
  if (typeof content !== 'string') return refuse('gate_error', `${path} is not text.`);
  return isMinified(content) ? refuse('minified', `${path} looks minified or generated: its lines are too long.`) : OK;
}

/** A line over 10,000 characters, or a mean over 400 (protocol §9). */
export function isMinified(text: string): boolean {
  let lines = 0;
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const stop = end < 0 ? text.length : end;
    if (stop - from > MAX_LINE) return true;
    lines++;
    from = stop + 1;
  }
  return lines > 0 && text.length / lines > MAX_MEAN_LINE;
}
