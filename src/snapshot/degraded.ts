/** The codes of `Snapshot.degraded` in plain words: what could not be read, and what to do. */
const SENTENCES: Readonly<Record<string, string>> = {
  no_git: 'Git was not found, so only files are known: install git or put it on the PATH.',
  unsafe_repository:
    'Git refuses to read this repository because it belongs to another user: if you trust it, add it to safe.directory.',
  git_too_old:
    'This repository is in a format that the installed git does not know, so only files are known: update git.',
  broken_git:
    'There is a .git here that leads to no repository, so only files are known: run git worktree repair, or remove it.',
  'timeout:git': 'Git did not answer in time; what is shown of it is from before.',
  'failed:git': 'Git could not read this repository; what is shown of it is from before. See the log for its words.',
  bare: 'This is a bare repository: it has no files to look at.',
  'failed:log':
    'Git could not read the history of this branch; everything else is as it is now. See the log for its words.',
  'failed:list': 'Git could not list the files; those shown are from before. See the log for its words.',
  shallow: 'The clone is shallow, so older history is not known.',
  partial: 'The clone is partial: what git would have to download first is not looked at.',
  file_limit: 'There are more files than are listed.',
  unreadable: 'A folder cannot be read',
  outlines_later: 'The parser is loading; outlines of the open files follow in a moment.',
  parse_error: 'A file does not parse at the moment; its outline is what is intact of it',
  parse_timeout: 'A file takes too long to be read, so it has no outline',
  no_grammar: 'The grammar for a file is missing or damaged, so it has no outline: install the extension again',
  not_utf8: 'A file is not UTF-8 text, nor in an encoding that it names, so it is not read',
  too_large: 'A file is larger than 1 MiB, so it is not read',
  minified: 'A file looks minified or generated, so it is not read',
  malformed: 'A manifest, lock file or configuration is not what its name says, so what it holds is not known',
  cycle: 'A configuration extends itself, so only what it says itself counts',
  denied: 'A file never leaves this machine, so nothing is said about it',
  outside: 'A file is outside of the project, so nothing is said about it.',
  missing: 'A file is not there any more',
  no_clone: 'The project is not on this disk; only what was said about it is known.',
};

/** Every code, without what it may name behind a colon. */
export const DEGRADED_CODES: readonly string[] = Object.keys(SENTENCES);

/** What a degraded code means, as a sentence for people. A code may name what it is about: `parse_error:src/a.ts`. */
export function describeDegraded(code: string): string {
  const known = own(code);
  if (known !== undefined) return /[.]$/.test(known) ? known : `${known}.`;
  const colon = code.indexOf(':');
  const sentence = colon < 0 ? undefined : own(code.slice(0, colon));
  return sentence === undefined ? `Something could not be read (${code}).` : `${sentence}: ${code.slice(colon + 1)}.`;
}

function own(code: string): string | undefined {
  return Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
}
