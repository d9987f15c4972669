/**
 * Where diagnostics go. Never given a secret, a tag value or a prompt; paths only at `debug` (protocol §9).
 * In the editor it is the ProjectAnchor output channel, on the command line stderr.
 */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A logger that drops everything, for where nobody listens. */
export function silentLogger(): Logger {
  const drop = () => undefined;
  return { debug: drop, info: drop, warn: drop, error: drop };
}
