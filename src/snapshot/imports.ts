import type { TSESTree } from '@typescript-eslint/typescript-estree';
import { isExports, memberName } from './declarations.ts';
import { Lines, type Parsed } from './parser.ts';
import { walkNodes } from './signature.ts';

/** One import as the text has it. */
export interface ImportSite {
  readonly module: string;
  /** Imported names as exported there; `default`, `*` for everything; empty when only loaded. */
  readonly names: readonly string[];
  /** 1-based line. */
  readonly line: number;
  /** Where this file passes them on: the name it gives away → the name there; `*` → `*` for all of them. */
  readonly passedOn?: ReadonlyMap<string, string>;
}

/** What a tree says of one import, before its line is known. */
export type FoundImport = Omit<ImportSite, 'line'>;

/** More than a file written by hand imports. */
const MAX_IMPORTS = 200;

/** Where a call may load a module; comments, type arguments and brackets may stand before its own bracket. */
export const LOADS = /\b(?:require|import)\b(?=\s*(?:[(<)]|\?\.|\.\s*defer\b|\/[/*]))/g;

/** The imports of one file while they are collected. */
export class ImportSites {
  readonly #text: string;
  readonly #sites: (FoundImport & { readonly at: number })[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** @param at offset of the statement or call */
  add(at: number, found: FoundImport | null): void {
    if (found !== null) this.#sites.push({ ...found, at });
  }

  /** As they stand in the text, and not more than 200 of them. */
  inOrder(): readonly ImportSite[] {
    if (this.#sites.length === 0) return [];
    const lines = new Lines(this.#text);
    const sites = this.#sites.toSorted((a, b) => a.at - b.at).slice(0, MAX_IMPORTS);
    return sites.map(({ at, module, names, passedOn }) => {
      return { module, names, line: lines.at(at), ...(passedOn === undefined ? {} : { passedOn }) };
    });
  }
}

/**
 * The imports of a parsed file, in order: `import`, `export … from`, `import x = require()` of the file and of its
 * module blocks, and `require()` and `import()` of a literal, wherever they stand.
 */
export function importSites({ program, text }: Parsed): readonly ImportSite[] {
  const sites = new ImportSites(text);
  for (const statement of statementsOf(program.body)) sites.add(statement.range[0], statementSite(statement));
  // Only calls stand deeper than the lists of statements, and most files have none of them.
  if (text.search(LOADS) >= 0) {
    walkNodes(program, (node, parent) => sites.add(node.range[0], callSite(node, parent)));
  }
  return sites.inOrder();
}

/** A statement, or what stands behind its `export`. */
type Declared = TSESTree.ProgramStatement | TSESTree.NamedExportDeclarations;

/** Statements with those of module blocks, and declarations without the `export` around them. */
function* statementsOf(body: readonly TSESTree.ProgramStatement[]): Generator<Declared> {
  for (const statement of body) {
    const exported = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
    const inner = exported ?? statement;
    yield inner;
    if (inner.type === 'TSModuleDeclaration') yield* statementsOf(inner.body?.body ?? []);
  }
}

function statementSite(node: Declared): FoundImport | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return literal(node.source, node.specifiers.map(importedName));
    case 'ExportNamedDeclaration':
      return literal(
        node.source,
        node.specifiers.map(({ local }) => nameOf(local)),
        node.specifiers.map(({ local, exported }) => [nameOf(exported), nameOf(local)]),
      );
    case 'ExportAllDeclaration':
      return literal(node.source, ['*'], [[node.exported === null ? '*' : nameOf(node.exported), '*']]);
    case 'TSImportEqualsDeclaration':
      return node.moduleReference.type === 'TSExternalModuleReference'
        ? literal(node.moduleReference.expression, ['*'])
        : null;
    default:
      return null;
  }
}

function callSite(node: TSESTree.Node, parent: TSESTree.Node | null): FoundImport | null {
  switch (node.type) {
    case 'ImportExpression':
      return literal(node.source, namesTaken(parent));
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'require' && node.arguments.length === 1
        ? literal(node.arguments[0], namesTaken(parent))
        : null;
    default:
      return null;
  }
}

function importedName(specifier: TSESTree.ImportClause): string {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  return specifier.type === 'ImportNamespaceSpecifier' ? '*' : nameOf(specifier.imported);
}

function nameOf(node: TSESTree.Identifier | TSESTree.StringLiteral): string {
  return node.type === 'Identifier' ? node.name : node.value;
}

function literal(
  node: TSESTree.Node | null | undefined,
  names: readonly string[],
  passedOn?: readonly (readonly [string, string])[],
): FoundImport | null {
  if (node?.type !== 'Literal' || typeof node.value !== 'string') return null;
  return { module: node.value, names, ...(passedOn === undefined ? {} : { passedOn: new Map(passedOn) }) };
}

/** What a call's result is taken apart into: `const { a, b } = require('x')`, `require('x').a`. */
function namesTaken(parent: TSESTree.Node | null): readonly string[] {
  if (parent?.type === 'MemberExpression') {
    const name = isExports(parent) ? null : memberName(parent);
    return name === null ? ['*'] : [name];
  }
  if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'ObjectPattern') return ['*'];
  const names = parent.id.properties.map((property) => {
    if (property.type !== 'Property' || property.computed) return '*';
    return property.key.type === 'Identifier' || property.key.type === 'Literal' ? keyName(property.key) : '*';
  });
  return [...new Set(names)];
}

function keyName(key: TSESTree.Identifier | TSESTree.Literal): string {
  return key.type === 'Identifier' ? key.name : String(key.value);
}

/** The package that a module specifier names, or null for relative, absolute, `node:` and `#internal` ones. */
export function packageName(module: string): string | null {
  const [, name] = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~_-][\w.~-]*)(?:\/.*)?$/i.exec(module) ?? [];
  return name ?? null;
}

/** Extensions that an import may leave out, in the order they are tried. */
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.json'] as const;
/** TypeScript imports name the file that the compiler will write. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};

/**
 * The paths that a relative import may mean, likeliest first; empty when it leads out of the project.
 * @param importer path of the importing file, relative to the project
 */
export function candidatePaths(importer: string, module: string): readonly string[] {
  if (!/^\.\.?(?:\/|$)/.test(module)) return [];
  const segments = importer.split('/').slice(0, -1);
  for (const part of module.replace(/[?#].*$/, '').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') segments.push(part);
    else if (segments.pop() === undefined) return [];
  }
  const path = segments.join('/');
  const index = EXTENSIONS.map((extension) => `${path === '' ? '' : `${path}/`}index${extension}`);
  if (path === '' || /(?:^|\/)\.\.?$/.test(module) || module.endsWith('/')) return index;
  const dot = path.lastIndexOf('.');
  const extension = dot > path.lastIndexOf('/') ? path.slice(dot) : '';
  const sources = (WRITTEN[extension] ?? []).map((source) => path.slice(0, dot) + source);
  return [path, ...sources, ...EXTENSIONS.map((each) => path + each), ...index];
}
