import type { Writable } from 'node:stream';
import type { Logger } from '../../base/index.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'none'] as const;

/** The least important diagnostics that are shown. */
export type LogLevel = (typeof LEVELS)[number];

/** `PROJECT_ANCHOR_LOG`, for who looks for a fault; undefined when it is not set to a level. */
export function levelFrom(env: NodeJS.ProcessEnv): LogLevel | undefined {
  return LEVELS.find((level) => level === env['PROJECT_ANCHOR_LOG']);
}

/** Writes diagnostics to stderr, from a level on, one line each. */
export function stderrLogger(stderr: Writable, from: LogLevel): Logger {
  const at = (level: LogLevel) => (message: string) => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(from)) stderr.write(`${level}: ${message.replace(/\s*\n\s*/g, ' ')}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
