/** What every rule reads: one source file with its place in the house. */
import ts from 'typescript';

/**
 * @typedef {object} SourceText
 * @property {string} path relative to the project, with forward slashes
 * @property {string} text
 *
 * @typedef {object} Problem
 * @property {string} path
 * @property {number} line 1-based
 * @property {string} rule
 * @property {string} message what is wrong and what to do
 *
 * @typedef {object} Source
 * @property {string} path
 * @property {string} text
 * @property {ts.SourceFile} tree
 */

/**
 * @param {SourceText} file
 * @returns {Source}
 */
export function parse({ path, text }) {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/**
 * @param {Source} source
 * @param {ts.Node | null} node null for the file as a whole
 * @param {string} rule
 * @param {string} message
 * @returns {Problem}
 */
export function problem(source, node, rule, message) {
  const line = node === null ? 1 : source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line + 1;
  return { path: source.path, line, rule, message };
}

/**
 * Every node below `root`, parents before children.
 *
 * @param {ts.Node} root
 * @returns {Generator<ts.Node>}
 */
export function* nodesOf(root) {
  /** @type {ts.Node[]} */
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    /** @type {ts.Node[]} */
    const children = [];
    ts.forEachChild(node, (child) => {
      children.push(child);
    });
    stack.push(...children.reverse());
  }
}
