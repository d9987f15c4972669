import type { FoundImport } from '../../imports.ts';
import {
  assigned,
  type Found,
  hidden,
  type ImportRule,
  type LanguageRules,
  partOf,
  parts,
  type Reading,
  type Rule,
  type SyntaxNode,
  types,
} from '../language.ts';

/** Without a word about it everything is public. */
function isPublic(node: SyntaxNode, { text }: Reading): boolean {
  const visibility = partOf(node, 'visibility_modifier');
  return visibility === null || text(visibility).startsWith('public');
}

/** `$name` is called `name`. */
function nameOf(node: SyntaxNode, { text }: Reading): string {
  return text(node.childForFieldName('name') ?? partOf(node, 'name')).replace(/^\$/, '');
}

function type(kind: Found['kind']): Rule {
  return (node, reading) => {
    const body = node.childForFieldName('body');
    return { kind, name: nameOf(node, reading), exported: true, before: body, inside: [body] };
  };
}

const enumeration: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const cases = parts(body).filter(({ type }) => type === 'enum_case');
  const suffix = ` { ${cases.map((each) => nameOf(each, reading)).join(', ')} }`;
  return { kind: 'enum', name: nameOf(node, reading), exported: true, before: body, inside: [body], suffix };
};

const func: Rule = (node, reading) => ({
  kind: 'function',
  name: nameOf(node, reading),
  exported: true,
  before: node.childForFieldName('body'),
});

/** What a constructor promotes is a property of its class. */
const method: Rule = (node, reading) => {
  const name = nameOf(node, reading);
  const isConstructor = name.toLowerCase() === '__construct';
  const promoted = parts(isConstructor ? node.childForFieldName('parameters') : null)
    .filter(({ type }) => type === 'property_promotion_parameter')
    .map(
      (each): Found => ({
        kind: 'property',
        name: nameOf(each, reading),
        exported: isPublic(each, reading),
        node: each,
        before: each.childForFieldName('default_value'),
      }),
    );
  const before = node.childForFieldName('body');
  return [
    { kind: isConstructor ? 'constructor' : 'method', name, exported: isPublic(node, reading), before },
    ...promoted,
  ];
};

function elements(kind: Found['kind'], element: string): Rule {
  return (node, reading) => {
    const found = parts(node).filter(({ type }) => type === element);
    return found.map((each, index) => ({
      kind,
      name: nameOf(each, reading),
      exported: isPublic(node, reading),
      before:
        partOf(each, 'property_hook_list') ??
        assigned(each) ??
        (each === found.at(-1) ? hooksOf(node) : each.nextSibling),
      ...(index === 0 ? {} : { from: each }),
    }));
  };
}

function hooksOf(node: SyntaxNode): SyntaxNode | null {
  return partOf(node, 'property_hook_list');
}

/** `define('NAME', …)` */
const define: Rule = (node, { text }) => {
  if (text(node.childForFieldName('function')).toLowerCase() !== 'define') return null;
  const before = node.childForFieldName('arguments');
  const name = literal(parts(parts(before)[0])[0], text);
  return { kind: 'constant', name, exported: true, before, suffix: `('${name}')` };
};

/** Without braces it is for the whole file, as a package in other languages: what follows is not named by it. */
const namespace: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const name = nameOf(node, reading);
  const found = { kind: 'namespace', name, exported: true } as const;
  return body === null ? found : { ...found, before: body, inside: [body] };
};

/** A text without anything put into it; empty for all else. */
function literal(node: SyntaxNode | null | undefined, text: Reading['text']): string {
  if (node?.type !== 'string' && node?.type !== 'encapsed_string') return '';
  const inner = parts(node);
  return inner.every(({ type }) => type === 'string_content') ? inner.map((each) => text(each)).join('') : '';
}

const use: ImportRule = (node, text) => {
  const group = node.childForFieldName('body');
  const prefix = group === null ? '' : `${text(partOf(node, 'namespace_name'))}\\`;
  const clauses = parts(group ?? node).filter(({ type }) => type === 'namespace_use_clause');
  const modules = new Map<string, string[]>();
  for (const clause of clauses) {
    const path = (prefix + text(partOf(clause, 'qualified_name', 'name', 'namespace_name'))).replace(/\s+|^\\/g, '');
    const end = path.lastIndexOf('\\');
    const module = end < 0 ? path : path.slice(0, end);
    const names = modules.get(module) ?? [];
    modules.set(module, names);
    names.push(end < 0 ? '*' : path.slice(end + 1));
  }
  return [...modules].map(([module, names]): FoundImport => ({ module, names }));
};

const required: ImportRule = (node, text) => {
  const path = pathOf(innermost(parts(node)[0] ?? null), text);
  if (path === '') return null;
  return { module: /^(?:\.{0,2}\/|[A-Za-z]:)/.test(path) ? path : `./${path}`, names: ['*'] };
};

function innermost(node: SyntaxNode | null): SyntaxNode | null {
  return node?.type === 'parenthesized_expression' ? innermost(parts(node)[0] ?? null) : node;
}

/** `'x.php'`, `__DIR__ . '/x.php'`, `dirname(__DIR__) . '/x.php'`. */
function pathOf(node: SyntaxNode | null, text: Reading['text']): string {
  if (node?.type !== 'binary_expression') return literal(node, text);
  const rest = literal(node.childForFieldName('right'), text);
  const base = text(node.childForFieldName('left')).replace(/\s+/g, '');
  if (rest === '') return '';
  if (base === '__DIR__' || base === 'dirname(__FILE__)') return `.${rest}`;
  return base === 'dirname(__DIR__)' ? `..${rest}` : '';
}

/** PHP 5 to 8.4, with the text around it. */
export const php: LanguageRules = {
  grammar: 'php',
  rules: new Map<string, Rule>([
    ['class_declaration', type('class')],
    ['trait_declaration', type('class')],
    ['interface_declaration', type('interface')],
    ['enum_declaration', enumeration],
    ['function_definition', func],
    ['method_declaration', method],
    ['const_declaration', elements('constant', 'const_element')],
    ['property_declaration', elements('property', 'property_element')],
    ['function_call_expression', define],
    ['namespace_definition', namespace],
  ]),
  through: types(
    'program compound_statement declaration_list if_statement else_clause else_if_clause expression_statement',
  ),
  hidden: hidden('string encapsed_string heredoc nowdoc integer float boolean array_creation_expression', {
    attribute_list: '',
    compound_statement: '{…}',
  }),
  values: new Map([
    ['simple_parameter', 'default_value'],
    ['property_promotion_parameter', 'default_value'],
  ]),
  imports: new Map([
    ['namespace_use_declaration', use],
    ['require_expression', required],
    ['require_once_expression', required],
    ['include_expression', required],
    ['include_once_expression', required],
  ]),
  around: { top: ['<?php ', ''], member: ['<?php class __ {', '}'], alone: true },
  bodies: [
    ['', '', '}'],
    ['{', '', '}'],
  ],
  branches: types(
    'if_statement else_if_clause for_statement foreach_statement while_statement do_statement case_statement match_conditional_expression catch_clause conditional_expression && || and or ??',
  ),
};
