import {
  type Found,
  fields,
  hasToken,
  hidden,
  type LanguageRules,
  partOf,
  parts,
  type Reading,
  type Rule,
  type SyntaxNode,
  types,
} from '../language.ts';

const func: Rule = (node, { text, scope }) => {
  const name = text(node.childForFieldName('name'));
  const kind = scope.kind === 'interface' ? 'method' : 'function';
  return { kind, name, exported: isPublic(name), before: node.childForFieldName('body') };
};

const method: Rule = (node, { text }) => {
  const name = text(node.childForFieldName('name'));
  const receiver = baseName(
    text(partOf(node.childForFieldName('receiver'), 'parameter_declaration')?.childForFieldName('type')),
  );
  const of = receiver === '' ? {} : { of: receiver };
  return { kind: 'method', name, exported: isPublic(name), before: node.childForFieldName('body'), ...of };
};

const type: Rule = (node, { text }) => {
  const name = text(node.childForFieldName('name'));
  const value = node.childForFieldName('type');
  const body = value?.type === 'struct_type' ? partOf(value, 'field_declaration_list') : null;
  const found = { name, exported: isPublic(name), ...alone(node) };
  if (value?.type === 'struct_type') return { ...found, kind: 'class', before: body, inside: [body] };
  if (value?.type === 'interface_type') {
    const brace = value.children.find((child) => child?.type === '{') ?? null;
    return { ...found, kind: 'interface', before: brace, inside: [value] };
  }
  return { ...found, kind: 'type' };
};

/** `type X …` has the lines of its statement unless it is one of several in brackets. */
function alone(spec: SyntaxNode): { readonly node?: SyntaxNode } {
  const { parent } = spec;
  return parent?.type.endsWith('_declaration') && !hasToken(parent, '(') ? { node: parent } : {};
}

const field: Rule = (node, { text }) => {
  const type = node.childForFieldName('type');
  const body = type?.type === 'struct_type' ? partOf(type, 'field_declaration_list') : null;
  const before = body ?? node.childForFieldName('tag');
  const names = fields(node, 'name');
  if (names.length === 0) {
    const name = baseName(text(type));
    return { kind: 'property', name, exported: isPublic(name), before };
  }
  const last = names.at(-1);
  return names.map((each) => {
    const found = { kind: 'property' as const, name: text(each), exported: isPublic(text(each)), from: each };
    return each === last ? { ...found, before, inside: [body] } : { ...found, before: each.nextSibling };
  });
};

/** What an interface takes over from another one; a set of types is no member. */
const embedded: Rule = (node, { text, scope }) => {
  const [type, ...others] = parts(node);
  if (scope.kind !== 'interface' || type === undefined || others.length > 0 || !isNamed(type)) return null;
  const name = baseName(text(type));
  return { kind: 'property', name, exported: isPublic(name) };
};

function isNamed({ type }: SyntaxNode): boolean {
  return type === 'type_identifier' || type === 'qualified_type' || type === 'generic_type';
}

function values(kind: Found['kind']): Rule {
  return (node, { text }) => {
    const value = node.childForFieldName('value');
    const names = fields(node, 'name');
    const last = names.at(-1);
    return names.map((each) => {
      const name = text(each);
      const own = names.length === 1 ? {} : { from: each };
      const before = each === last ? value : each.nextSibling;
      return { kind, name: name === '_' ? '' : name, exported: isPublic(name), before, ...alone(node), ...own };
    });
  };
}

/** `S` of `*pkg.S[T]`. */
function baseName(type: string): string {
  return /^[*(\s]*(?:\w+\.)?(\w+)/u.exec(type)?.[1] ?? '';
}

function isPublic(name: string): boolean {
  return /^\p{Lu}/u.test(name);
}

function moduleOf(node: SyntaxNode, text: Reading['text']): string {
  return text(node.childForFieldName('path')).slice(1, -1);
}

/** Go up to 1.24. What begins with a capital is exported; all files of a package see the rest. */
export const go: LanguageRules = {
  grammar: 'go',
  rules: new Map<string, Rule>([
    ['function_declaration', func],
    ['method_declaration', method],
    ['method_elem', func],
    ['type_spec', type],
    ['type_alias', type],
    ['field_declaration', field],
    ['type_elem', embedded],
    ['const_spec', values('constant')],
    ['var_spec', values('variable')],
  ]),
  through: types('source_file const_declaration var_declaration var_spec_list type_declaration'),
  hidden: hidden('interpreted_string_literal raw_string_literal rune_literal', { block: '{…}' }),
  imports: new Map([['import_spec', (node, text) => ({ module: moduleOf(node, text), names: ['*'] })]]),
  bodies: [
    ['', '', '}'],
    ['', '', ')'],
    ['{', '', '}'],
  ],
  branches: types('if_statement for_statement expression_case type_case communication_case && ||'),
};
