/** The house: imports point down the rooms, through their index, and the editor's interface stays at the top. */
import { posix } from 'node:path';
import ts from 'typescript';
import { nodesOf, problem } from './source.mjs';

/** From the top to the bottom; a file directly in src sees all. */
const ROOMS = ['ui', 'agents', 'inject', 'delta', 'snapshot', 'store', 'base'];

/**
 * @param {string} path
 * @returns {string | null} the room, `root` for a file directly in src, null outside src
 */
function roomOf(path) {
  const [first, second, ...rest] = path.split('/');
  if (first !== 'src' || second === undefined) return null;
  return rest.length === 0 ? 'root' : second;
}

/**
 * @typedef {object} Import
 * @property {string} from module specifier
 * @property {boolean} typeOnly erased by the compiler
 * @property {ts.Node} node
 *
 * @param {ts.SourceFile} tree
 * @returns {Generator<Import>}
 */
export function* importsOf(tree) {
  for (const node of nodesOf(tree)) {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      yield { from: node.moduleSpecifier.text, typeOnly, node };
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      yield { from: node.moduleSpecifier.text, typeOnly: node.isTypeOnly, node };
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { literal } = node.argument;
      if (ts.isStringLiteral(literal)) yield { from: literal.text, typeOnly: true, node };
    } else if (ts.isCallExpression(node)) {
      const [argument] = node.arguments;
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(node.expression) && node.expression.text === 'require');
      if (loads && argument !== undefined && ts.isStringLiteralLike(argument)) {
        yield { from: argument.text, typeOnly: false, node };
      }
    }
  }
}

/**
 * @param {import('./source.mjs').Source} source
 * @returns {import('./source.mjs').Problem[]}
 */
export function checkRooms(source) {
  const room = roomOf(source.path);
  if (room === null) return [];
  const mayUseEditor = room === 'ui' || source.path === 'src/extension.ts';
  const problems = [];
  if (room !== 'root' && !ROOMS.includes(room)) {
    problems.push(problem(source, null, 'rooms', `src/${room} is not a room: ${ROOMS.join(', ')}`));
  }

  for (const { from, typeOnly, node } of importsOf(source.tree)) {
    if (from === 'vscode' && !mayUseEditor) {
      problems.push(
        problem(source, node, 'no-vscode', 'only src/ui and src/extension.ts import vscode, types included'),
      );
    }
    if (from === 'node:sqlite' && room !== 'store') {
      problems.push(problem(source, node, 'sql', 'only src/store opens a database: ask it for what you need'));
    }
    if (!from.startsWith('.')) continue;

    if (!/\.(ts|json)$/.test(from)) {
      problems.push(problem(source, node, 'import-extension', `write the file's name in full: '${from}.ts'`));
      continue;
    }
    const target = posix.join(posix.dirname(source.path), from);
    const targetRoom = roomOf(target);
    if (targetRoom === null) {
      if (target !== 'package.json') {
        problems.push(problem(source, node, 'rooms', `src must not import ${target}, which is outside of it`));
      }
      continue;
    }
    if (targetRoom === room) continue;
    if (targetRoom === 'root') {
      if (!typeOnly)
        problems.push(problem(source, node, 'rooms', `${room} must not import ${target}: arrows point down`));
      continue;
    }
    if (!isIndex(target, targetRoom)) {
      problems.push(problem(source, node, 'rooms', `import from src/${targetRoom}/index.ts, not from ${target}`));
    }
    if (room !== 'root' && !typeOnly && ROOMS.indexOf(targetRoom) < ROOMS.indexOf(room)) {
      const remedy = 'take a port and let the caller pass it in, or use `import type` for one';
      problems.push(
        problem(source, node, 'rooms', `${room} must not import ${targetRoom}: arrows point down; ${remedy}`),
      );
    }
  }
  return problems;
}

/**
 * @param {string} target
 * @param {string} room
 */
function isIndex(target, room) {
  return target === `src/${room}/index.ts`;
}

/**
 * Every room says at its door, in three sentences, what it is for, what it never does and what it exports.
 *
 * @param {import('./source.mjs').Source} source
 * @returns {import('./source.mjs').Problem[]}
 */
export function checkRoomHeader(source) {
  if (!/^src\/[a-z]+\/index\.ts$/.test(source.path)) return [];
  const comments = ts.getLeadingCommentRanges(source.text, 0) ?? [];
  const words = comments.map(({ pos, end }) => source.text.slice(pos, end)).join('\n');
  const sentences = words.match(/[.!?](?=\s|\*\/|$)/g)?.length ?? 0;
  return sentences >= 3
    ? []
    : [
        problem(
          source,
          null,
          'room-header',
          'begin with three sentences: what it is for, what it never does, what it exports',
        ),
      ];
}
