import { ProjectAnchorError } from '../base/index.ts';
import type { FileFacts, Gate, GateVerdict } from '../snapshot/index.ts';
import type { Place } from './paths.ts';
import type { InjectRequest } from './types.ts';

/** Codes of a request that must not go out (protocol §8 and §9). */
export const FILE_REFUSED = 'file_refused';
export const CREDENTIAL_FOUND = 'credential_found';

/** Whether an error says that a request must not go out, so that a person is told why and nothing is tried again. */
export function isRefusal(error: unknown): error is ProjectAnchorError {
  return error instanceof ProjectAnchorError && (error.code === FILE_REFUSED || error.code === CREDENTIAL_FOUND);
}

/** The request's own text by the name a person knows it under. */
function texts(request: InjectRequest): readonly (readonly [name: string, text: string | undefined])[] {
  const context = ['context given along', request.context] as const;
  switch (request.type) {
    case 'completion':
      return [['text before the cursor', request.prefix], ['text after the cursor', request.suffix], context];
    case 'explain':
      return [['selection', request.selection], ['question', request.question], context];
    case 'chat':
      return [['question', request.question], context];
  }
}

/** What the facts of a file may say that keeps it here, with what to do about it. */
const KEPT_BACK: ReadonlyMap<string, { readonly why: (path: string) => string; readonly remedy: string }> = new Map([
  [
    'denied',
    {
      why: (path) => `Git ignores ${path}, or could not be asked.`,
      remedy: 'Work on it without the model, or take it out of .gitignore if it is no secret.',
    },
  ],
  [
    'too_large',
    {
      why: (path) => `${path} is larger than 1 MiB.`,
      remedy: 'Work on it without the model, or on a part in a file of its own.',
    },
  ],
  [
    'minified',
    { why: (path) => `${path} looks minified or generated.`, remedy: 'Work on the source that it is made from.' },
  ],
]);

/**
 * Only the snapshot room asks git and sees the file as a whole, of which a request has a part: what it found that keeps
 * the file here stands in the facts.
 */
function keptBack(facts: FileFacts | null, path: string) {
  if (facts?.path !== path) return undefined;
  return facts.degraded.map((code) => KEPT_BACK.get(code.split(':', 1)[0] ?? '')).find((kept) => kept !== undefined);
}

function fileVerdict(request: InjectRequest, path: string, gate: Gate): GateVerdict {
  if (request.type !== 'completion') return gate.path(path);
  const text = request.prefix + request.suffix;
  return gate.file(path, Buffer.byteLength(text, 'utf8'), text);
}

/**
 * Stops a request that must not leave this machine.
 * @param facts what is known of the request's file
 * @throws ProjectAnchorError `file_refused` when the gate refuses the file or git ignores it, `credential_found` when the request's own text holds one.
 */
export function refuseUnfit(request: InjectRequest, place: Place, gate: Gate, facts: FileFacts | null): void {
  if (place.kind === 'inside') {
    const verdict = fileVerdict(request, place.path, gate);
    if (!verdict.ok) {
      throw new ProjectAnchorError(
        FILE_REFUSED,
        `Nothing is sent about this file. ${verdict.reason}`,
        'Work on it without the model, or change "projectAnchor.snapshot.exclude" or .projectanchorignore if it is no secret.',
      );
    }
    const kept = keptBack(facts, place.path);
    if (kept !== undefined) {
      throw new ProjectAnchorError(
        FILE_REFUSED,
        `Nothing is sent about this file. ${kept.why(place.path)}`,
        kept.remedy,
      );
    }
  }
  for (const [name, text] of texts(request)) {
    const verdict = text === undefined ? undefined : gate.text(text);
    if (verdict === undefined || verdict.ok) continue;
    throw new ProjectAnchorError(
      CREDENTIAL_FOUND,
      `The request was stopped because of the ${name}. ${verdict.reason}`,
      'Remove it, or ask about another part.',
    );
  }
}
