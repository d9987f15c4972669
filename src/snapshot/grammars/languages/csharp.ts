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
  tokenOf,
  types,
} from '../language.ts';

function has(node: SyntaxNode, { text }: Reading, modifier: string): boolean {
  return parts(node).some((each) => each.type === 'modifier' && text(each) === modifier);
}

/** `public`, or a member of an interface, which is so by itself. */
function isPublic(node: SyntaxNode, reading: Reading): boolean {
  if (has(node, reading, 'public')) return true;
  return reading.scope.kind === 'interface' && !has(node, reading, 'private');
}

function nameOf(node: SyntaxNode, { text }: Reading): string {
  return text(node.childForFieldName('name'));
}

function type(kind: Found['kind']): Rule {
  return (node, reading) => {
    const body = node.childForFieldName('body');
    const before = body ?? tokenOf(node, ';');
    // The parameters of a record are its properties, those of a class are not.
    const components = node.type === 'record_declaration' ? partOf(node, 'parameter_list') : null;
    const name = nameOf(node, reading);
    return { kind, name, exported: isPublic(node, reading), before, inside: [components, body] };
  };
}

const component: Rule = (node, reading) => ({
  kind: 'property',
  name: nameOf(node, reading),
  exported: true,
  before: assigned(node),
});

const enumeration: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const names = parts(body).filter(({ type }) => type === 'enum_member_declaration');
  const suffix = ` { ${names.map((each) => nameOf(each, reading)).join(', ')} }`;
  return { kind: 'enum', name: nameOf(node, reading), exported: isPublic(node, reading), before: body, suffix };
};

/** Without braces it is for the whole file, as a package in other languages: what follows is not named by it. */
const namespace: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const found = { kind: 'namespace', name: nameOf(node, reading), exported: true } as const;
  return body === null ? found : { ...found, before: body, inside: [body] };
};

function member(kind: Found['kind'], named: (node: SyntaxNode, reading: Reading) => string = nameOf): Rule {
  return (node, reading) => {
    const value = node.childForFieldName('accessors') ?? node.childForFieldName('value');
    const before = partOf(node, 'constructor_initializer') ?? node.childForFieldName('body') ?? value;
    return { kind, name: named(node, reading), exported: isPublic(node, reading), before };
  };
}

const localFunction: Rule = (node, reading) => ({
  kind: 'function',
  name: nameOf(node, reading),
  exported: false,
  before: node.childForFieldName('body'),
});

/** `operator +`, `operator int`. */
function operatorName(node: SyntaxNode, { text }: Reading): string {
  return `operator ${/\boperator\s+(?:checked\s+)?([^(]+?)\s*\(/.exec(text(node))?.[1] ?? ''}`;
}

const field: Rule = (node, reading) => {
  const declarators = parts(partOf(node, 'variable_declaration')).filter(({ type }) => type === 'variable_declarator');
  const kind = has(node, reading, 'const') ? 'constant' : 'property';
  return declarators.map((each, index) => ({
    kind,
    name: nameOf(each, reading),
    exported: isPublic(node, reading),
    before: assigned(each) ?? (each === declarators.at(-1) ? null : each.nextSibling),
    ...(index === 0 ? {} : { from: each }),
  }));
};

const using: ImportRule = (node, text) => {
  const target = parts(node).at(-1);
  const module = text(target)
    .replace(/\s+/g, '')
    .replace(/^global::/, '');
  return { module, names: ['*'] };
};

/** C# up to 13. */
export const csharp: LanguageRules = {
  grammar: 'c-sharp',
  rules: new Map<string, Rule>([
    ['class_declaration', type('class')],
    ['struct_declaration', type('class')],
    ['record_declaration', type('class')],
    ['interface_declaration', type('interface')],
    ['enum_declaration', enumeration],
    ['delegate_declaration', type('type')],
    ['namespace_declaration', namespace],
    ['file_scoped_namespace_declaration', namespace],
    ['parameter', component],
    ['method_declaration', member('method')],
    ['constructor_declaration', member('constructor')],
    ['destructor_declaration', member('method', (node, reading) => `~${nameOf(node, reading)}`)],
    ['operator_declaration', member('method', operatorName)],
    ['conversion_operator_declaration', member('method', operatorName)],
    ['indexer_declaration', member('property', () => 'this[]')],
    ['property_declaration', member('property')],
    ['event_declaration', member('property')],
    ['event_field_declaration', field],
    ['field_declaration', field],
    ['local_function_statement', localFunction],
  ]),
  through: types(
    'compilation_unit declaration_list global_statement preproc_if preproc_elif preproc_else preproc_region',
  ),
  hidden: hidden(
    'string_literal verbatim_string_literal raw_string_literal interpolated_string_expression character_literal integer_literal real_literal',
    { attribute_list: '', block: '{…}', argument_list: '(…)' },
  ),
  values: new Map([['parameter', '=']]),
  imports: new Map([['using_directive', using]]),
  around: { member: ['class __ {', '}'], alone: true },
  bodies: [
    ['', '', '}'],
    ['{', '', '}'],
  ],
  branches: types(
    'if_statement for_statement foreach_statement while_statement do_statement switch_section switch_expression_arm catch_clause conditional_expression && || ??',
  ),
};
