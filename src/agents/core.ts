/**
 * Everything but the editor, bundled once without `vscode`: the command line runs on this bundle, and other programs
 * may build on it.
 */
export { v7 as newId } from 'uuid';
export * from '../base/index.ts';
export * from '../delta/index.ts';
export * from '../inject/index.ts';
export * from '../snapshot/index.ts';
export * from '../store/index.ts';
export type * from './api.ts';
export { runCommandLine } from './cli.ts';
export type { CommandLineIo } from './commands/command.ts';
export * from './index.ts';
export { type OpenProject, openProject } from './runtime.ts';
