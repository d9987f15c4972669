import {
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

const PRIVATE: ReadonlySet<string> = new Set(['private', 'protected', 'private_class_method', 'private_constant']);
const PUBLIC: ReadonlySet<string> = new Set(['public', 'module_function']);
const ATTRIBUTES: ReadonlySet<string> = new Set(['attr_accessor', 'attr_reader', 'attr_writer', 'attr']);

function container(kind: Found['kind']): Rule {
  return (node, { text, scope }) => {
    const { name, of } = path(node.childForFieldName('name'), text);
    const body = node.childForFieldName('body');
    const place = of === '' ? {} : { of: scope.of === undefined ? of : `${scope.of}.${of}` };
    const before = body ?? tokenOf(node, 'end');
    return {
      kind,
      name,
      exported: isShown(name, scope),
      before,
      ...place,
      inside: [body],
      concealed: concealed(body, text),
    };
  };
}

/** `A::B::C` is `C` of `A.B`. */
function path(node: SyntaxNode | null, text: Reading['text']): { readonly name: string; readonly of: string } {
  if (node?.type !== 'scope_resolution') return { name: text(node), of: '' };
  const of = text(node.childForFieldName('scope')).replace(/\s+/g, '').replaceAll('::', '.');
  return { name: text(node.childForFieldName('name')), of };
}

/** The names that `private :a, :b` takes back from what stands before it. */
function concealed(body: SyntaxNode | null, text: Reading['text']): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of parts(body)) {
    if (node.type !== 'call' || !PRIVATE.has(text(node.childForFieldName('method')))) continue;
    for (const symbol of symbolsOf(node, text)) names.add(symbol);
  }
  return names;
}

function argumentsOf(call: SyntaxNode): readonly SyntaxNode[] {
  return parts(call.childForFieldName('arguments'));
}

/** `a` and `b` of `call :a, 'b'`. */
function symbolsOf(call: SyntaxNode, text: Reading['text']): readonly string[] {
  return argumentsOf(call)
    .map((each) => (each.type === 'simple_symbol' ? text(each).slice(1) : literal(each, text)))
    .filter((name) => name !== '');
}

/** A text without anything put into it; empty for all else. */
function literal(node: SyntaxNode | undefined, text: Reading['text']): string {
  if (node?.type !== 'string') return '';
  const inner = parts(node);
  return inner.every(({ type }) => type === 'string_content') ? inner.map((each) => text(each)).join('') : '';
}

function isShown(name: string, scope: Reading['scope']): boolean {
  return scope.visible && scope.concealed?.has(name) !== true;
}

const method: Rule = (node, { text, scope }) => {
  const name = text(node.childForFieldName('name'));
  const isSingleton = node.type === 'singleton_method';
  const isInstance = name === 'initialize' && !isSingleton;
  const kind = scope.of === undefined && !isSingleton ? 'function' : isInstance ? 'constructor' : 'method';
  const body = node.childForFieldName('body');
  // `private` alone says nothing of singleton methods.
  const exported = isShown(name, isSingleton ? { ...scope, visible: true } : scope);
  return { kind, name, exported, before: body ?? tokenOf(node, 'end') };
};

/** What Ruby has as calls: attributes, visibility, methods with a name that is a value. */
const call: Rule = (node, reading) => {
  const { text, scope } = reading;
  const name = text(node.childForFieldName('method'));
  if (node.childForFieldName('receiver') !== null) return null;
  if (ATTRIBUTES.has(name)) {
    return symbolsOf(node, text).map((each) => ({ kind: 'property', name: each, exported: isShown(each, scope) }));
  }
  const [first] = argumentsOf(node);
  if (name === 'define_method' || name === 'alias_method') {
    const [defined = ''] = symbolsOf(node, text);
    const block = node.childForFieldName('block');
    return { kind: 'method', name: defined, exported: isShown(defined, scope), before: block };
  }
  if (!PRIVATE.has(name) && !PUBLIC.has(name)) return null;
  const visible = PUBLIC.has(name);
  if (first?.type !== 'method' && first?.type !== 'singleton_method') {
    return first === undefined ? visibility(visible, scope) : call(first, { text, scope: { ...scope, visible } });
  }
  const found = method(first, { text, scope: { ...scope, visible } });
  const [one] = [found].flat();
  return one === null || one === undefined ? null : { ...one, exported: visible, from: node };
};

function visibility(visible: boolean, scope: Reading['scope']): null {
  scope.visible = visible;
  return null;
}

/** `private` on a line of its own. */
const word: Rule = (node, { text, scope }) => {
  const name = text(node);
  return PRIVATE.has(name) || PUBLIC.has(name) ? visibility(PUBLIC.has(name), scope) : null;
};

/** `A = Struct.new(:x) do … end` is a class. */
const assignment: Rule = (node, { text, scope }) => {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  if (left?.type !== 'constant' && left?.type !== 'global_variable') return null;
  const name = text(left);
  const exported = isShown(name, { ...scope, visible: true });
  if (left.type === 'global_variable') return { kind: 'variable', name, exported, before: right };
  const maker =
    right?.type === 'call'
      ? `${text(right.childForFieldName('receiver'))}.${text(right.childForFieldName('method'))}`
      : '';
  if (!/^(?:(?:Struct|Class|Module)\.new|Data\.define)$/.test(maker)) {
    return { kind: 'constant', name, exported, before: right };
  }
  const block = right?.childForFieldName('block') ?? null;
  const body = block?.childForFieldName('body') ?? null;
  return { kind: 'class', name, exported, before: block, inside: [body], concealed: concealed(body, text) };
};

const alias: Rule = (node, { text, scope }) => {
  const name = text(node.childForFieldName('name'));
  return { kind: scope.of === undefined ? 'function' : 'method', name, exported: isShown(name, scope) };
};

const required: ImportRule = (node, text) => {
  const [first, second] = argumentsOf(node);
  if (node.childForFieldName('receiver') !== null) return null;
  switch (text(node.childForFieldName('method'))) {
    case 'require':
      return { module: literal(first, text), names: ['*'] };
    case 'require_relative': {
      const name = literal(first, text);
      return { module: name === '' || /^\.{0,2}\//.test(name) ? name : `./${name}`, names: ['*'] };
    }
    case 'autoload':
      return { module: literal(second, text), names: [text(first).replace(/^:/, '')] };
    default:
      return null;
  }
};

/** Ruby 2.x to 3.4. */
export const ruby: LanguageRules = {
  grammar: 'ruby',
  rules: new Map<string, Rule>([
    ['class', container('class')],
    ['module', container('namespace')],
    ['method', method],
    ['singleton_method', method],
    ['call', call],
    ['identifier', word],
    ['assignment', assignment],
    ['alias', alias],
    [
      'singleton_class',
      (node) => ({ kind: 'class', name: '', exported: false, inside: [partOf(node, 'body_statement')] }),
    ],
  ]),
  through: types('program body_statement if unless then else elsif begin'),
  hidden: hidden(
    'string heredoc_body heredoc_beginning integer float regex string_array symbol_array array hash lambda',
    {
      do_block: '',
      block: '{…}',
    },
  ),
  values: new Map([
    ['optional_parameter', 'value'],
    ['keyword_parameter', 'value'],
  ]),
  imports: new Map([['call', required]]),
  importStart: /^(?:require|autoload)/,
  around: { member: ['class __\n', '\nend'], alone: true },
  bodies: [['', '', '\nend']],
  branches: types(
    'if unless elsif while until for when in_clause rescue conditional if_modifier unless_modifier while_modifier until_modifier rescue_modifier && || and or',
  ),
};
