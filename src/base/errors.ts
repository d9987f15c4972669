/**
 * An error that a person or program can act on: a stable code, what happened, and what to do.
 * `message` is one line that already contains the remedy when there is one.
 */
export class ProjectAnchorError extends Error {
  readonly code: string;
  readonly remedy: string | undefined;

  constructor(code: string, what: string, remedy?: string, options?: ErrorOptions) {
    super(remedy === undefined ? what : `${what} ${remedy}`, options);
    this.name = 'ProjectAnchorError';
    this.code = code;
    this.remedy = remedy;
  }
}

/** The message of anything thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

/** The `code` of a Node or ProjectAnchor error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
