import { ProjectAnchorError } from '../../base/index.ts';
import { SourceReader } from '../../snapshot/index.ts';
import type { ProjectSession } from '../session-types.ts';

/**
 * The text of a file of the project as it is on disk, for commands that point at its lines. What a link outside leads
 * to, what is no regular file (reading a pipe would never end) and what must not leave is refused, unread.
 * @param path relative to the workspace root
 * @param remedy what to do instead, as a sentence
 * @throws ProjectAnchorError with the code of the refusal, such as `outside`, `missing` or `too_large`
 */
export async function projectText(session: ProjectSession, path: string, remedy: string): Promise<string> {
  const source = await new SourceReader(session.identity.toplevel, session.gate).read(path);
  if (source.ok) return source.text;
  throw new ProjectAnchorError(source.code, source.reason, remedy);
}
