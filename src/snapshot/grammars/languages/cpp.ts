import {
  type Found,
  fields,
  hidden,
  type ImportRule,
  type LanguageRules,
  partOf,
  parts,
  type Reading,
  type Rule,
  type Scope,
  type SyntaxNode,
  types,
} from '../language.ts';

/** A name that a declarator gives, and what it is the name of. */
interface Named {
  readonly name: string;
  /** `A.B` of `A::B::name`. */
  readonly of: string | undefined;
  readonly isFunction: boolean;
}

/** Looks into `*(*name)(int)[3]` for the name. */
function named(declarator: SyntaxNode | null, text: Reading['text'], isFunction = false): Named | null {
  if (declarator === null) return null;
  switch (declarator.type) {
    case 'identifier':
    case 'field_identifier':
    case 'type_identifier':
    case 'destructor_name':
    case 'operator_name':
    case 'template_function':
    case 'template_method':
    case 'template_type':
      return { name: withoutArguments(text(declarator)), of: undefined, isFunction };
    case 'operator_cast':
      return { name: `operator ${text(declarator.childForFieldName('type'))}`, of: undefined, isFunction: true };
    case 'qualified_identifier': {
      const inner = named(declarator.childForFieldName('name'), text, isFunction);
      const scope = withoutArguments(text(declarator.childForFieldName('scope')));
      const of = inner?.of === undefined ? scope : `${scope}.${inner.of}`;
      return inner === null ? null : { ...inner, of: of === '' ? undefined : of };
    }
    case 'function_declarator':
      return named(declarator.childForFieldName('declarator'), text, true);
    case 'parenthesized_declarator': {
      const [inner] = parts(declarator);
      // `int (*name)(void)` is a pointer, `int (name)(void)` a function.
      return named(inner ?? null, text, isFunction && inner?.type !== 'pointer_declarator');
    }
    default: {
      const inner = declarator.childForFieldName('declarator') ?? parts(declarator).at(-1) ?? null;
      return named(inner, text, declarator.type === 'array_declarator' ? false : isFunction);
    }
  }
}

function withoutArguments(name: string): string {
  return name.startsWith('operator') ? name : name.replace(/<.*$/s, '').replace(/\s+/g, '');
}

function isStatic(node: SyntaxNode, text: Reading['text']): boolean {
  return parts(node).some((each) => each.type === 'storage_class_specifier' && text(each) === 'static');
}

function isConstant(node: SyntaxNode, text: Reading['text']): boolean {
  return parts(node).some((each) => each.type === 'type_qualifier' && /^const/.test(text(each)));
}

function isMember(scope: Scope): boolean {
  return scope.kind === 'class';
}

/** Others see what is not static; of a class what is not private. */
function isPublic(node: SyntaxNode, { text, scope }: Reading): boolean {
  return scope.visible && (isMember(scope) || !isStatic(node, text));
}

function functionFound({ name, of }: Named, reading: Reading, node: SyntaxNode): Found {
  const owner = of?.split('.').at(-1) ?? (isMember(reading.scope) ? reading.scope.name : undefined);
  const kind = owner === undefined ? 'function' : owner === name ? 'constructor' : 'method';
  const inside = reading.scope.kind === 'namespace' && reading.scope.of !== undefined ? `${reading.scope.of}.` : '';
  const place = of === undefined ? {} : { of: `${inside}${of}` };
  return { kind, name, exported: isPublic(node, reading), ...place };
}

const func: Rule = (node, reading) => {
  const found = named(node.childForFieldName('declarator'), reading.text);
  if (found === null) return null;
  const body = node.childForFieldName('body');
  const before = partOf(node, 'field_initializer_list', 'default_method_clause', 'delete_method_clause') ?? body;
  return { ...functionFound(found, reading, node), before };
};

/** Prototypes, variables and fields; a type that is declared with them comes first. */
const declaration: Rule = (node, reading) => {
  const { text, scope } = reading;
  const type = node.childForFieldName('type');
  const declarators = fields(node, 'declarator');
  const own = type === null ? [] : typeFound(type, reading, declarators.length === 0 ? node : type);
  const body = type?.childForFieldName('body') ?? null;
  const found = declarators.map((declarator): Found | null => {
    const each = named(declarator, text);
    if (each === null) return null;
    const value = declarator.childForFieldName('value') ?? node.childForFieldName('default_value');
    const before = value ?? (declarator === declarators.at(-1) ? null : declarator.nextSibling);
    const from = body !== null || declarator !== declarators[0] ? { from: declarator } : {};
    if (each.isFunction) return { ...functionFound(each, reading, node), before };
    const exported = isPublic(node, reading);
    const place = each.of === undefined ? {} : { of: each.of };
    if (isMember(scope) || each.of !== undefined) {
      return { kind: 'property', name: each.name, exported, before, ...from, ...place };
    }
    if (!exported) return null;
    return { kind: isConstant(node, text) ? 'constant' : 'variable', name: each.name, exported, before, ...from };
  });
  return [...own, ...found.filter((each) => each !== null)];
};

/**
 * A struct, class, union or enum with its body; without one it is only mentioned.
 * @param node what its lines are taken from
 * @param given its name when it has none of its own
 */
function typeFound(type: SyntaxNode, reading: Reading, node: SyntaxNode, given = ''): readonly Found[] {
  const { text, scope } = reading;
  const body = type.childForFieldName('body');
  if (body === null) return [];
  const own = type.childForFieldName('name');
  const name = own === null ? given : withoutArguments(text(own)).replaceAll('::', '.');
  const found = { name, exported: scope.visible, node, before: body, from: type === node ? node : type };
  if (type.type === 'enum_specifier') {
    const names = parts(body).filter((each) => each.type === 'enumerator');
    const suffix = ` { ${names.map((each) => text(each.childForFieldName('name'))).join(', ')} }`;
    return [{ ...found, kind: 'enum', suffix }];
  }
  if (!/^(?:struct|class|union)_specifier$/.test(type.type)) return [];
  return [{ ...found, kind: 'class', inside: [body], visible: type.type !== 'class_specifier' && scope.visible }];
}

const specifier: Rule = (node, reading) => {
  // Inside of a template its signature begins in front of it.
  return typeFound(node, reading, node).map(({ from: _, ...found }) => found);
};

const typedef: Rule = (node, reading) => {
  const type = node.childForFieldName('type');
  const names = fields(node, 'declarator').map((each) => ({ each, found: named(each, reading.text) }));
  const [first] = names;
  const body = type?.childForFieldName('body') ?? null;
  const own = type?.childForFieldName('name') ?? null;
  const declared = type === null ? [] : typeFound(type, reading, node, first?.found?.name);
  const rest = body !== null && own === null ? names.slice(1) : names;
  return [
    ...declared,
    ...rest.map(({ each, found }): Found => {
      const from = body === null && each === first?.each ? {} : { from: each };
      const before = each === names.at(-1)?.each ? null : each.nextSibling;
      return { kind: 'type', name: found?.name ?? '', exported: reading.scope.visible, before, ...from };
    }),
  ];
};

const namespace: Rule = (node, { text, scope }) => {
  const body = node.childForFieldName('body');
  const name = text(node.childForFieldName('name')).replace(/\s+/g, '').replaceAll('::', '.');
  const visible = scope.visible && name !== '';
  return { kind: 'namespace', name, exported: visible, before: body, inside: [body], visible };
};

const access: Rule = (node, { text, scope }) => {
  scope.visible = text(node).startsWith('public');
  return null;
};

const alias = (node: SyntaxNode, { text, scope }: Reading): Found => ({
  kind: 'type',
  name: text(node.childForFieldName('name')),
  exported: scope.visible,
});

const macroFunction: Rule = (node, { text }) => ({
  kind: 'function',
  name: text(node.childForFieldName('name')),
  exported: true,
  before: node.childForFieldName('value'),
});

/** A macro without a value only says that something is so. */
const macro: Rule = (node, { text }) => {
  const value = node.childForFieldName('value');
  return value === null
    ? null
    : { kind: 'constant', name: text(node.childForFieldName('name')), exported: true, before: value };
};

const include: ImportRule = (node, text) => {
  const path = node.childForFieldName('path');
  const name = text(path).slice(1, -1);
  if (path?.type === 'system_lib_string') return { module: name, names: ['*'] };
  if (path?.type !== 'string_literal' || name === '') return null;
  return { module: /^(?:\.{0,2}\/|[A-Za-z]:)/.test(name) ? name : `./${name}`, names: ['*'] };
};

/** C++ up to 23, and C: what is valid C is, with few exceptions, read as what it is. */
export const cpp: LanguageRules = {
  grammar: 'cpp',
  rules: new Map<string, Rule>([
    ['function_definition', func],
    ['declaration', declaration],
    ['field_declaration', declaration],
    ['struct_specifier', specifier],
    ['class_specifier', specifier],
    ['union_specifier', specifier],
    ['enum_specifier', specifier],
    ['type_definition', typedef],
    ['namespace_definition', namespace],
    ['access_specifier', access],
    ['alias_declaration', alias],
    ['concept_definition', (node, reading) => ({ ...alias(node, reading), before: parts(node)[1] ?? null })],
    ['preproc_function_def', macroFunction],
    ['preproc_def', macro],
  ]),
  through: types(
    'translation_unit declaration_list linkage_specification preproc_if preproc_ifdef preproc_elif preproc_elifdef preproc_else export_declaration field_declaration_list',
  ),
  wrappers: new Map([['template_declaration', true]]),
  hidden: hidden('string_literal raw_string_literal concatenated_string char_literal user_defined_literal', {
    attribute_declaration: '',
    compound_statement: '{…}',
    field_declaration_list: '{…}',
    enumerator_list: '{…}',
    initializer_list: '{…}',
  }),
  values: new Map([
    ['optional_parameter_declaration', 'default_value'],
    ['init_declarator', 'value'],
  ]),
  imports: new Map<string, ImportRule>([
    ['preproc_include', include],
    ['import_declaration', (node, text) => ({ module: text(node.childForFieldName('name')), names: ['*'] })],
  ]),
  directives: /^[ \t]*#[ \t]*define\b(?:.*\\\r?\n)*.*$/gm,
  around: { member: ['struct __ {', '};'] },
  bodies: [
    ['', '', '};'],
    ['', '', '} __;'],
    ['', '', '}'],
    ['{', '', '};'],
  ],
  branches: types(
    'if_statement for_statement for_range_loop while_statement do_statement case_statement catch_clause conditional_expression && ||',
  ),
};
