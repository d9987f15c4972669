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

const func: Rule = (node, { text }) => {
  const name = text(partOf(node, 'function_name')).replace(/^(?:global|script|local|private):/i, '');
  const before = tokenOf(node, '{');
  const block = partOf(partOf(node, 'script_block'), 'param_block') ?? partOf(node, 'param_block');
  const parameters = parts(partOf(block, 'parameter_list')).map((each) => parameter(each, text));
  const suffix = parameters.length === 0 ? '' : `(${parameters.join(', ')})`;
  return { kind: 'function', name, exported: true, before, suffix };
};

/** `[int]$count` */
function parameter(node: SyntaxNode, text: Reading['text']): string {
  const attributes = parts(partOf(node, 'attribute_list'));
  const type = attributes.map((each) => partOf(each, 'type_literal')).find((each) => each !== null);
  return text(type) + text(partOf(node, 'variable'));
}

const definedClass: Rule = (node, { text }) => {
  const name = text(partOf(node, 'simple_name'));
  return { kind: 'class', name, exported: true, before: tokenOf(node, '{'), inside: [node] };
};

const enumeration: Rule = (node, { text }) => {
  const members = parts(node).filter(({ type }) => type === 'enum_member');
  const suffix = ` { ${members.map((each) => text(partOf(each, 'simple_name'))).join(', ')} }`;
  return { kind: 'enum', name: text(partOf(node, 'simple_name')), exported: true, before: tokenOf(node, '{'), suffix };
};

function isHidden(node: SyntaxNode, text: Reading['text']): boolean {
  return parts(node).some((each) => each.type === 'class_attribute' && /hidden/i.test(text(each)));
}

const method: Rule = (node, { text, scope }): Found => {
  const name = text(partOf(node, 'simple_name'));
  const kind = name === scope.name ? 'constructor' : 'method';
  return { kind, name, exported: !isHidden(node, text), before: tokenOf(node, '{') };
};

const property: Rule = (node, { text }): Found => {
  const variable = partOf(node, 'variable');
  const name = text(variable).replace(/^\$/, '');
  return { kind: 'property', name, exported: !isHidden(node, text), before: tokenOf(node, '=') };
};

/** `Import-Module X`, `using module X`, `. ./x.ps1`, `. $PSScriptRoot/x.ps1`. */
const imported: ImportRule = (node, text) => {
  const [, dotted] = /^\.\s+(.+)$/.exec(text(node)) ?? [];
  const [, module] = /^(?:Import-Module|using\s+module)\s+(?:-Name\s+)?(.+)$/i.exec(text(node)) ?? [];
  const written =
    (dotted ?? module ?? '')
      .trim()
      .replace(/^(["'])(.*)\1.*$/, '$2')
      .split(/\s/)[0] ?? '';
  const path = written.replaceAll('\\', '/').replace(/^\$\{?PSScriptRoot\}?\//i, './');
  if (path === '' || /[$(`]/.test(path)) return null;
  if (dotted === undefined || /^\.{0,2}\//.test(path)) return { module: path, names: ['*'] };
  return /\.\w+$/.test(path) ? { module: `./${path}`, names: ['*'] } : null;
};

/** PowerShell 5 and 7. */
export const powershell: LanguageRules = {
  grammar: 'powershell',
  rules: new Map<string, Rule>([
    ['function_statement', func],
    ['class_statement', definedClass],
    ['enum_statement', enumeration],
    ['class_method_definition', method],
    ['class_property_definition', property],
  ]),
  through: types('program statement_list if_statement statement_block'),
  hidden: hidden('string_literal integer_literal real_literal', {
    script_parameter_default: '= …',
    attribute_arguments: '(…)',
  }),
  imports: new Map([['command', imported]]),
  importStart: /^(?:import-module|using|\.)\s/i,
  around: { member: ['class __ {', '}'], alone: true },
  bodies: [
    ['', '', '}'],
    ['{', '', '}'],
  ],
  branches: types(
    'if_statement elseif_clause for_statement foreach_statement while_statement do_statement switch_clause catch_clause -and -or',
  ),
};
