import type { Gate } from '../gate.ts';

/** Code points of a body that are told. */
const MAX_BODY = 1_000;
/** A trailer of a name that is not known here: words with hyphens, since `Note: …` and `Fixes: …` say something. */
const TRAILER = /^[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: ?\S/;
const NAMED_TRAILER =
  /^(?:signed-off-by|co-authored-by|co-developed-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|helped-by|requested-by|approved-by|cc|change-id|reviewed-on|git-svn-id|cherry-picked-from|pr-url)\s*:/i;
const ADDRESS = /<?[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}>?/g;

/**
 * A commit's message behind its subject, as it may be given out: without trailers and addresses of people, at most 1,000
 * code points; undefined when nothing is left of it, or when it holds what looks like a credential.
 */
export function bodyOf(body: string, gate: Gate): string | undefined {
  if (!gate.text(body).ok) return undefined;
  const kept = withoutTrailers(body.split(/\r\n|\r|\n/))
    .join('\n')
    .replace(ADDRESS, '')
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .normalize('NFC')
    .toWellFormed()
    .trim();
  const characters = [...kept];
  if (characters.length === 0) return undefined;
  return characters.length > MAX_BODY ? `${characters.slice(0, MAX_BODY - 1).join('')}…` : kept;
}

/** Git's own rule: the last paragraph is of trailers when all of it looks like them. Known ones go wherever they are. */
function withoutTrailers(lines: readonly string[]): readonly string[] {
  const kept = lines.filter((line) => !NAMED_TRAILER.test(line.trim()));
  const end = kept.findLastIndex((line) => line.trim() !== '') + 1;
  const start = kept.slice(0, end).findLastIndex((line) => line.trim() === '') + 1;
  const last = kept.slice(start, end);
  const isBlock = TRAILER.test(last[0] ?? '') && last.every((line) => TRAILER.test(line) || /^\s+\S/.test(line));
  return isBlock ? kept.slice(0, start) : kept.slice(0, end);
}
