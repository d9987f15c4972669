/** The names that the sources use are the names that the manifest declares, and the other way round. */
import ts from 'typescript';
import { nodesOf, problem } from './source.mjs';

const PREFIX = 'projectAnchor.';

/** Names that VS Code needs no declaration for: the status item, and the entry of its secret storage. */
const UNDECLARED = new Set(['projectAnchor.status', 'projectAnchor.minimax.keys']);

/**
 * @param {any} manifest parsed package.json
 * @returns {{ commands: string[], settings: string[], views: string[] }}
 */
export function namesOf({ contributes }) {
  const configuration = [contributes.configuration].flat();
  return {
    commands: contributes.commands.map((/** @type {{ command: string }} */ { command }) => command),
    settings: configuration.flatMap((/** @type {{ properties: object }} */ { properties }) => Object.keys(properties)),
    views: Object.values(contributes.views).flatMap((views) =>
      /** @type {{ id: string }[]} */ (views).map(({ id }) => id),
    ),
  };
}

/**
 * @param {readonly import('./source.mjs').Source[]} sources of src
 * @param {any} manifest parsed package.json
 * @returns {import('./source.mjs').Problem[]}
 */
export function checkManifest(sources, manifest) {
  const { commands, settings, views } = namesOf(manifest);
  const declared = new Set([...commands, ...settings, ...views, ...contextKeysOf(manifest), ...UNDECLARED]);
  /** @type {Set<string>} */
  const used = new Set();
  const problems = [];

  for (const source of sources) {
    for (const node of nodesOf(source.tree)) {
      if (!ts.isStringLiteralLike(node)) continue;
      used.add(node.text);
      if (/^projectAnchor\.[A-Za-z.]+$/.test(node.text) && !declared.has(node.text)) {
        problems.push(problem(source, node, 'manifest', `${node.text} is not declared in package.json`));
      }
    }
  }

  const unused = [
    ...[...commands, ...views].filter((name) => !used.has(name)),
    ...settings.filter((name) => !used.has(name) && !used.has(name.slice(PREFIX.length))),
  ];
  for (const name of unused) {
    problems.push({
      path: 'package.json',
      line: 1,
      rule: 'manifest',
      message: `${name} is declared, but src does not name it`,
    });
  }
  return problems;
}

/**
 * Context keys that `when` clauses and enablements read.
 *
 * @param {any} manifest
 * @returns {string[]}
 */
function contextKeysOf({ contributes }) {
  return JSON.stringify(contributes).match(/projectAnchor\.[A-Za-z.]+/g) ?? [];
}
