import type * as vscode from 'vscode';
import type { Logger } from '../base/index.ts';

/** The ProjectAnchor output channel as a logger; its level is set in the editor. */
export function channelLogger(channel: vscode.LogOutputChannel): Logger {
  return {
    debug: (message) => channel.debug(message),
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
  };
}
