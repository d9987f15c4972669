import type { FoundImport } from '../../imports.ts';
import {
  type Found,
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

/** Whether `pub` stands before it, or it belongs to a trait, where nothing does. */
function isPublic(node: SyntaxNode, { text, scope }: Reading): boolean {
  const visibility = partOf(node, 'visibility_modifier');
  if (visibility === null) return scope.kind === 'interface' && scope.visible;
  return !/^pub\s*\(\s*self\s*\)/.test(text(visibility));
}

function nameOf(node: SyntaxNode, { text }: Reading): string {
  return text(node.childForFieldName('name'));
}

const func: Rule = (node, reading) => {
  const kind = isMember(reading.scope) ? 'method' : 'function';
  const before = node.childForFieldName('body');
  return { kind, name: nameOf(node, reading), exported: isPublic(node, reading), before };
};

function isMember({ kind }: Scope): boolean {
  return kind === 'class' || kind === 'interface';
}

/** A struct or union; the fields of `struct P(u8, u8)` have no names and stay in its signature. */
const struct: Rule = (node, reading) => {
  const body = partOf(node, 'field_declaration_list');
  const name = nameOf(node, reading);
  return { kind: 'class', name, exported: isPublic(node, reading), before: body, inside: [body] };
};

const field: Rule = (node, reading) => ({
  kind: 'property',
  name: nameOf(node, reading),
  exported: isPublic(node, reading),
});

const enumeration: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const names = parts(body).filter(({ type }) => type === 'enum_variant');
  const suffix = ` { ${names.map((each) => nameOf(each, reading)).join(', ')} }`;
  return { kind: 'enum', name: nameOf(node, reading), exported: isPublic(node, reading), before: body, suffix };
};

const trait: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  const exported = isPublic(node, reading);
  return { kind: 'interface', name: nameOf(node, reading), exported, before: body, inside: [body], visible: exported };
};

/** Its items are those of the type; a trait that is implemented is worth a line of its own. */
const implementation: Rule = (node, reading) => {
  const { text, scope } = reading;
  const body = node.childForFieldName('body');
  const type = baseName(text(node.childForFieldName('type')));
  const traitName = text(node.childForFieldName('trait'));
  const items: Found = { kind: traitName === '' ? 'class' : 'interface', name: '', exported: false, inside: [body] };
  const of = scope.of === undefined ? type : `${scope.of}.${type}`;
  const name = `impl ${traitName} for ${text(node.childForFieldName('type'))}`;
  const block: Found[] = traitName === '' ? [] : [{ kind: 'namespace', name, exported: false, before: body }];
  return [...block, { ...items, of }];
};

/** `S` of `&'a mut m::S<T>`. */
function baseName(type: string): string {
  const path = /^(?:[&*(]|'\w+|mut\b|dyn\b|const\b|\s)*((?:\w+|::)+)/u.exec(type)?.[1] ?? type;
  return path.split('::').at(-1) ?? path;
}

const module: Rule = (node, reading) => {
  const body = node.childForFieldName('body');
  // `mod x;` is an import.
  if (body === null) return null;
  const exported = isPublic(node, reading);
  return { kind: 'namespace', name: nameOf(node, reading), exported, before: body, inside: [body] };
};

const macro: Rule = (node, reading) => {
  let exported = false;
  for (let each = node.previousNamedSibling; each?.type === 'attribute_item'; each = each.previousNamedSibling) {
    if (/\bmacro_export\b/.test(reading.text(each))) exported = true;
  }
  return { kind: 'function', name: nameOf(node, reading), exported, before: partOf(node, 'macro_rule') };
};

const type: Rule = (node, reading) => ({
  kind: 'type',
  name: nameOf(node, reading),
  exported: isPublic(node, reading),
});

/** What only its own file sees is not listed. */
const value: Rule = (node, reading) => {
  const exported = isPublic(node, reading);
  if (!exported && !isMember(reading.scope)) return null;
  const kind = partOf(node, 'mutable_specifier') === null ? 'constant' : 'variable';
  return { kind, name: nameOf(node, reading), exported, before: node.childForFieldName('value') };
};

/** `use a::{b, c::{self, d as e}, f::*};` as one import of each path. */
const use: ImportRule = (node, text) => {
  const argument = node.childForFieldName('argument');
  const isPassedOn = partOf(node, 'visibility_modifier') !== null;
  const modules = new Map<string, [name: string, alias: string][]>();
  const depth = inlineDepth(node);
  for (const { module: written, name, alias } of argument === null ? [] : namesIn(argument, '', text)) {
    const module = outOfInline(written, depth);
    const names = modules.get(module) ?? [];
    modules.set(module, names);
    names.push([name, alias]);
  }
  return [...modules].map(([module, names]): FoundImport => {
    const found = { module, names: names.map(([name]) => name) };
    return isPassedOn ? { ...found, passedOn: new Map(names.map(([name, alias]) => [alias, name])) } : found;
  });
};

/** How many modules that are written out in the file a node is in. */
function inlineDepth(node: SyntaxNode): number {
  let depth = 0;
  for (let each = node.parent; each !== null; each = each.parent) if (each.type === 'mod_item') depth++;
  return depth;
}

/** A path as from the file's own module: the `super` of `mod tests { use super::*; }` is the file itself. */
function outOfInline(path: string, depth: number): string {
  const segments = path.split('::');
  const out = segments.findIndex((segment, at) => segment !== 'super' || at >= depth);
  const rest = out < 0 ? [] : segments.slice(out);
  return rest.length === segments.length ? path : [...(rest[0] === 'super' ? [] : ['self']), ...rest].join('::');
}

interface Used {
  readonly module: string;
  readonly name: string;
  readonly alias: string;
}

function namesIn(node: SyntaxNode, path: string, text: Reading['text']): readonly Used[] {
  const at = (node: SyntaxNode | null) => (node === null ? path : joined(path, text(node).replace(/\s+/g, '')));
  switch (node.type) {
    case 'scoped_use_list': {
      const inner = at(node.childForFieldName('path'));
      const list = node.childForFieldName('list');
      return list === null ? [] : namesIn(list, inner, text);
    }
    case 'use_list':
      return parts(node).flatMap((each) => namesIn(each, path, text));
    case 'use_wildcard':
      return [{ module: at(parts(node)[0] ?? null), name: '*', alias: '*' }];
    case 'use_as_clause':
      return split(at(node.childForFieldName('path')), text(node.childForFieldName('alias')));
    case 'self':
      return split(path, null);
    default:
      return split(at(node), null);
  }
}

/** The last name of a path is what is used; a path of one name is used as a whole. */
function split(path: string, alias: string | null): readonly Used[] {
  const end = path.lastIndexOf('::');
  const name = path.slice(end + 2);
  return end <= 0
    ? [{ module: path, name: '*', alias: alias ?? path }]
    : [{ module: path.slice(0, end), name, alias: alias ?? name }];
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}::${name}`;
}

const declaredModule: ImportRule = (node, text) => {
  if (node.childForFieldName('body') !== null) return null;
  const path = [text(node.childForFieldName('name'))];
  for (let each = node.parent; each !== null; each = each.parent) {
    if (each.type === 'mod_item') path.unshift(text(each.childForFieldName('name')));
  }
  return { module: `self::${path.join('::')}`, names: ['*'] };
};

/** Rust, editions 2015 to 2024. */
export const rust: LanguageRules = {
  grammar: 'rust',
  rules: new Map<string, Rule>([
    ['function_item', func],
    ['function_signature_item', func],
    ['struct_item', struct],
    ['union_item', struct],
    ['field_declaration', field],
    ['enum_item', enumeration],
    ['trait_item', trait],
    ['impl_item', implementation],
    ['mod_item', module],
    ['macro_definition', macro],
    ['type_item', type],
    ['associated_type', type],
    ['const_item', value],
    ['static_item', value],
  ]),
  through: types('source_file foreign_mod_item declaration_list'),
  prefixes: types('attribute_item'),
  hidden: hidden('string_literal raw_string_literal char_literal', {
    attribute_item: '',
    block: '{…}',
    token_tree: '(…)',
  }),
  literalTypes: types('extern_modifier'),
  imports: new Map<string, ImportRule>([
    ['use_declaration', use],
    ['mod_item', declaredModule],
    ['extern_crate_declaration', (node, text) => ({ module: text(node.childForFieldName('name')), names: ['*'] })],
  ]),
  around: { member: ['impl __ {', '}'], alone: true },
  bodies: [
    ['', '', '}'],
    ['{', '', '}'],
  ],
  branches: types('if_expression match_arm while_expression loop_expression for_expression && || ?'),
};
