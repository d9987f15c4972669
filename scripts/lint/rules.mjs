/** Rules of this house that the linter cannot express. Each has a test with a bad example that makes it fire. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { checkManifest } from './manifest.mjs';
import { checkPromises } from './promises.mjs';
import { checkRoomHeader, checkRooms } from './rooms.mjs';
import { checkCatches, checkConstructors, checkDocstrings, checkLength, checkModuleState, checkSql } from './shape.mjs';
import { parse } from './source.mjs';

/** Rules for one file of src. */
export const FILE_RULES = [
  checkRooms,
  checkRoomHeader,
  checkLength,
  checkConstructors,
  checkModuleState,
  checkCatches,
  checkSql,
  checkDocstrings,
];

/**
 * @param {string} root project folder
 * @returns {import('./source.mjs').Problem[]} in order of path and line
 */
export function checkProject(root) {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `src/${path.split(sep).join('/')}`)
    .sort();
  const sources = paths.map((path) => parse({ path, text: readFileSync(join(root, path), 'utf8') }));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [
    ...sources.flatMap((source) => FILE_RULES.flatMap((rule) => rule(source))),
    ...checkManifest(sources, manifest),
    ...checkPromises(programOf(join(root, 'tsconfig.json')), (fileName) => {
      const path = relative(root, fileName).split(sep).join('/');
      return path.startsWith('..') || path.startsWith('node_modules/') ? null : path;
    }),
  ].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/**
 * @param {string} config path of a tsconfig.json
 * @returns {ts.Program}
 */
export function programOf(config) {
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (parsed === undefined) throw new Error(`${config} cannot be read`);
  return ts.createProgram({ rootNames: parsed.fileNames, options: parsed.options });
}
