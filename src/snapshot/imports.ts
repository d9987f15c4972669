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

/** More than a file written by hand imports. */
const MAX_IMPORTS = 200;

/**
 * The imports of a parsed file, in order: `import`, `export … from`, `import x = require()`, `require()` and `import()`
 * of a literal, wherever they stand.
 */
export function importSites({ program, text }: Parsed): readonly ImportSite[] {
  const lines = new Lines(text);
  const sites: (ImportSite & { readonly at: number })[] = [];
  const visit = (node: TSESTree.Node, parent: TSESTree.Node | null) => {
    const found = siteOf(node, parent);
    if (found !== null) sites.push({ ...found, line: lines.at(node.range[0]), at: node.range[0] });
  };
  // Only calls stand deeper than the list of statements, and most files have none of them.
  if (/\b(?:require|import)\s*\(/.test(text)) walkNodes(program, visit);
  else for (const statement of program.body) visit(statement, program);
  sites.sort((a, b) => a.at - b.at);
  return sites.slice(0, MAX_IMPORTS).map(({ at: _, ...site }) => site);
}

type Found = Omit<ImportSite, 'line'>;

function siteOf(node: TSESTree.Node, parent: TSESTree.Node | null): Found | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return { module: node.source.value, names: node.specifiers.map(importedName) };
    case 'ExportNamedDeclaration':
      if (node.source === null) return null;
      return {
        module: node.source.value,
        names: node.specifiers.map(({ local }) => nameOf(local)),
        passedOn: new Map(node.specifiers.map(({ local, exported }) => [nameOf(exported), nameOf(local)])),
      };
    case 'ExportAllDeclaration':
      return {
        module: node.source.value,
        names: ['*'],
        passedOn: new Map([[node.exported === null ? '*' : nameOf(node.exported), '*']]),
      };
    case 'TSImportEqualsDeclaration':
      return node.moduleReference.type === 'TSExternalModuleReference'
        ? literal(node.moduleReference.expression, ['*'])
        : null;
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

function literal(node: TSESTree.Node | undefined, names: readonly string[]): Found | null {
  return node?.type === 'Literal' && typeof node.value === 'string' ? { module: node.value, names } : null;
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
