import {
  type Found,
  fields,
  hidden,
  type ImportRule,
  type LanguageRules,
  parts,
  type Reading,
  type Rule,
  type Scope,
  type SyntaxNode,
  types,
} from '../language.ts';

/** A definition inside of a definition is listed; what is inside of that one is its own business. */
const MAX_FUNCTIONS = 1;

const GETTERS: ReadonlySet<string> = new Set(['property', 'cached_property', 'abstractproperty']);

const func: Rule = (node, { text, scope }) => {
  if (scope.functions > MAX_FUNCTIONS) return null;
  const name = text(node.childForFieldName('name'));
  const body = node.childForFieldName('body');
  return { kind: functionKind(node, name, text, scope), name, exported: isPublic(name), before: body, inside: [body] };
};

function functionKind(node: SyntaxNode, name: string, text: Reading['text'], scope: Scope): Found['kind'] {
  if (scope.kind !== 'class') return 'function';
  if (name === '__init__') return 'constructor';
  for (const decorator of parts(node.parent).filter(({ type }) => type === 'decorator')) {
    const last = text(decorator).slice(1).trim().split('.').at(-1) ?? '';
    if (GETTERS.has(last)) return 'getter';
    if (last === 'setter') return 'setter';
  }
  return 'method';
}

const definedClass: Rule = (node, { text, scope }) => {
  if (scope.functions > MAX_FUNCTIONS) return null;
  const name = text(node.childForFieldName('name'));
  const body = node.childForFieldName('body');
  return { kind: 'class', name, exported: isPublic(name), before: body, inside: [body] };
};

const alias: Rule = (node, { text, scope }) => {
  const left = node.childForFieldName('left');
  const name = /^\w+/u.exec(text(left))?.[0] ?? '';
  return scope.functions > 0 ? null : { kind: 'type', name, exported: isPublic(name) };
};

/** `x: int = 1` of a class or a module; of a module only what others may use. */
const assignment: Rule = (node, { text, scope }) => {
  if (scope.functions > 0) return null;
  const type = text(node.childForFieldName('type'));
  const kindOf = (name: string) => (scope.kind === 'class' ? 'property' : variableKind(name, type));
  return targetsOf(node).map(({ target, before }) => {
    const name = text(target);
    return { kind: kindOf(name), name, exported: isPublic(name), from: target, before };
  });
};

/** The names that are given, each with what its signature ends before: `a = b = 1`, `a, b = 1, 2`. */
function targetsOf(node: SyntaxNode): readonly { readonly target: SyntaxNode; readonly before: SyntaxNode | null }[] {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  if (left === null) return [];
  const several = left.type === 'pattern_list' || left.type === 'tuple_pattern';
  const names = (several ? parts(left) : [left]).filter(({ type }) => type === 'identifier');
  const targets = names.map((target) => ({ target, before: several ? (target.nextSibling ?? right) : right }));
  return right?.type === 'assignment' ? [...targets, ...targetsOf(right)] : targets;
}

function variableKind(name: string, type: string): Found['kind'] {
  if (/\bTypeAlias\b/.test(type)) return 'type';
  return /^[A-Z][A-Z0-9_]*$/.test(name) || /^(?:typing\.)?Final\b/.test(type) ? 'constant' : 'variable';
}

function isPublic(name: string): boolean {
  return !name.startsWith('_') || /^__\w+__$/.test(name);
}

const importNames: ImportRule = (node, text) =>
  fields(node, 'name').map((name) => ({ module: text(moduleOf(name)), names: ['*'] }));

const importFrom: ImportRule = (node, text) => {
  const module = node.childForFieldName('module_name');
  if (module === null) return null;
  const names = fields(node, 'name').map((name) => text(moduleOf(name)));
  return { module: text(module).replace(/\s+/g, ''), names: names.length === 0 ? ['*'] : names };
};

/** `a.b` of `a.b as c`. */
function moduleOf(name: SyntaxNode): SyntaxNode | null {
  return name.type === 'aliased_import' ? name.childForFieldName('name') : name;
}

/** Of `Annotated[int, "of a kind"]` what is behind the type. */
function remarks(node: SyntaxNode): readonly SyntaxNode[] {
  const isPart = node.type === 'type_parameter';
  const head = isPart ? node.previousSibling : node.childForFieldName('value');
  return head !== null && /(?:^|\.)Annotated$/.test(head.text) ? parts(node).slice(isPart ? 1 : 2) : [];
}

/** The names that `__all__` lists, or null when the module has no such list that can be read. */
function listed(root: SyntaxNode, text: Reading['text']): ReadonlySet<string> | null {
  const names = new Set<string>();
  let isThere = false;
  for (const statement of parts(root).filter(({ type }) => type === 'expression_statement')) {
    const [node] = parts(statement);
    if (node === undefined || text(node.childForFieldName('left')) !== '__all__') continue;
    isThere = true;
    for (const string of node.descendantsOfType('string_content')) names.add(text(string));
  }
  return isThere ? names : null;
}

/** Python 2.7 to 3.14, as far as both agree. */
export const python: LanguageRules = {
  grammar: 'python',
  rules: new Map<string, Rule>([
    ['function_definition', func],
    ['class_definition', definedClass],
    ['type_alias_statement', alias],
    ['assignment', assignment],
  ]),
  through: types(
    'module block expression_statement if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement',
  ),
  wrappers: new Map([['decorated_definition', false]]),
  prefixes: types('decorator'),
  hidden: hidden('string concatenated_string integer float true false none list dictionary tuple set lambda', {
    block: '…',
  }),
  values: new Map([
    ['default_parameter', 'value'],
    ['typed_default_parameter', 'value'],
  ]),
  literalTypes: types('type type_parameter subscript binary_operator list'),
  remarks,
  imports: new Map<string, ImportRule>([
    ['import_statement', importNames],
    ['import_from_statement', importFrom],
    ['future_import_statement', () => null],
  ]),
  around: { member: ['class __:\n', ''] },
  bodies: [
    ['', ' pass\n', ''],
    [':\n', ' pass\n', ''],
  ],
  branches: types(
    'if_statement elif_clause for_statement while_statement except_clause conditional_expression boolean_operator case_clause if_clause for_in_clause assert_statement',
  ),
  finish: (root, text) => {
    const names = listed(root, text);
    return (found, scope) => {
      // Only a module has a list, and what a module gives to nobody is not worth a line unless it is a definition.
      const exported =
        names !== null && scope.of === undefined ? names.has(found.name) : found.exported && !isDunder(found, scope);
      const isValue = found.kind === 'constant' || found.kind === 'variable';
      return isValue && !exported ? null : { ...found, exported };
    };
  },
};

function isDunder({ name }: Found, scope: Scope): boolean {
  return scope.of === undefined && name.startsWith('__');
}
