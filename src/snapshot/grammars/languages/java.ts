import {
  type Found,
  fields,
  hasToken,
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

function modifiersOf(node: SyntaxNode): SyntaxNode | null {
  return partOf(node, 'modifiers');
}

/** `public`, or a member of an interface, which is so by itself. */
function isPublic(node: SyntaxNode, { scope }: Reading): boolean {
  const modifiers = modifiersOf(node);
  return hasToken(modifiers, 'public') || (scope.kind === 'interface' && !hasToken(modifiers, 'private'));
}

function nameOf(node: SyntaxNode, { text }: Reading): string {
  return text(node.childForFieldName('name'));
}

function type(kind: Found['kind']): Rule {
  return (node, reading) => {
    const body = node.childForFieldName('body');
    const name = nameOf(node, reading);
    return { kind, name, exported: isPublic(node, reading), before: body, inside: [body] };
  };
}

/** The components of a record are its properties. */
const record: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const components = node.childForFieldName('parameters');
  const name = nameOf(node, reading);
  return { kind: 'class', name, exported: isPublic(node, reading), before: body, inside: [components, body] };
};

const component: Rule = (node, reading) =>
  reading.scope.kind === 'class' ? { kind: 'property', name: nameOf(node, reading), exported: true } : null;

const enumeration: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const names = parts(body).filter(({ type }) => type === 'enum_constant');
  const suffix = ` { ${names.map((each) => nameOf(each, reading)).join(', ')} }`;
  const name = nameOf(node, reading);
  return { kind: 'enum', name, exported: isPublic(node, reading), before: body, inside: [body], suffix };
};

function method(kind: Found['kind']): Rule {
  return (node, reading) => {
    const isTop = kind === 'method' && reading.scope.of === undefined;
    const before = node.childForFieldName('body') ?? node.childForFieldName('value');
    const name = nameOf(node, reading);
    return { kind: isTop ? 'function' : kind, name, exported: isPublic(node, reading), before };
  };
}

const field: Rule = (node, reading) => {
  const modifiers = modifiersOf(node);
  const isConstant =
    reading.scope.kind === 'interface' || (hasToken(modifiers, 'static') && hasToken(modifiers, 'final'));
  const declarators = fields(node, 'declarator');
  const last = declarators.at(-1);
  return declarators.map((each, index) => ({
    kind: isConstant ? ('constant' as const) : ('property' as const),
    name: nameOf(each, reading),
    exported: isPublic(node, reading),
    before: each.childForFieldName('value') ?? (each === last ? null : each.nextSibling),
    ...(index === 0 ? {} : { from: each }),
  }));
};

const imported: ImportRule = (node, text) => {
  const path = partOf(node, 'scoped_identifier', 'identifier');
  const whole = text(path).replace(/\s+/g, '');
  if (partOf(node, 'asterisk') !== null) return { module: whole, names: ['*'] };
  const dot = whole.lastIndexOf('.');
  return dot < 0 ? { module: whole, names: ['*'] } : { module: whole.slice(0, dot), names: [whole.slice(dot + 1)] };
};

/** Java 8 to 25. */
export const java: LanguageRules = {
  grammar: 'java',
  rules: new Map<string, Rule>([
    ['class_declaration', type('class')],
    ['interface_declaration', type('interface')],
    ['annotation_type_declaration', type('interface')],
    ['enum_declaration', enumeration],
    ['record_declaration', record],
    ['formal_parameter', component],
    ['method_declaration', method('method')],
    ['annotation_type_element_declaration', method('method')],
    ['constructor_declaration', method('constructor')],
    ['compact_constructor_declaration', method('constructor')],
    ['field_declaration', field],
    ['constant_declaration', field],
  ]),
  through: types('program class_body interface_body enum_body enum_body_declarations annotation_type_body'),
  hidden: hidden(
    'string_literal character_literal decimal_integer_literal hex_integer_literal decimal_floating_point_literal',
    { annotation: '', marker_annotation: '', block: '{…}', class_body: '{…}' },
  ),
  imports: new Map([['import_declaration', imported]]),
  around: { member: ['class __ {', '}'], alone: true },
  bodies: [
    ['', '', '}'],
    ['{', '', '}'],
  ],
  branches: types(
    'if_statement for_statement enhanced_for_statement while_statement do_statement switch_label catch_clause ternary_expression && ||',
  ),
};
