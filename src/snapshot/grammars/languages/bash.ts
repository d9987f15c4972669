import {
  hidden,
  type ImportRule,
  type LanguageRules,
  parts,
  type Reading,
  type Rule,
  type SyntaxNode,
  types,
} from '../language.ts';

const func: Rule = (node, { text }) => {
  const name = text(node.childForFieldName('name'));
  return { kind: 'function', name, exported: !name.startsWith('_'), before: node.childForFieldName('body') };
};

/** `export X=1` and `readonly X=1`; what is merely set is nobody else's. */
const declaration: Rule = (node, { text }) => {
  const word = node.child(0)?.type ?? '';
  const options = parts(node).flatMap((each) => (each.type === 'word' ? [text(each)] : []));
  const isExport = word === 'export' || options.some((each) => /^-\w*x/.test(each));
  const isConstant = word === 'readonly' || options.some((each) => /^-\w*r/.test(each));
  if (!isExport && !isConstant) return null;
  return parts(node)
    .filter(({ type }) => type === 'variable_assignment')
    .map((each, index) => ({
      kind: isConstant ? ('constant' as const) : ('variable' as const),
      name: text(each.childForFieldName('name')),
      exported: isExport,
      before: each.childForFieldName('value') ?? each.nextSibling,
      ...(index === 0 ? {} : { from: each }),
    }));
};

/** `source lib.sh`, and `. "$DIR/lib.sh"` where the name of the variable says that it is a folder of the script's. */
const sourced: ImportRule = (node, text) => {
  const name = text(node.childForFieldName('name'));
  const [argument] = node.childrenForFieldName('argument');
  if ((name !== 'source' && name !== '.') || argument === undefined) return null;
  const path = pathOf(argument, text);
  if (path === '') return null;
  return { module: /^\.{0,2}\//.test(path) ? path : `./${path}`, names: ['*'] };
};

const FOLDER =
  /^"?\$(?:\{?\w*(?:dir|root|here|path|home_?of|base)\w*\}?|\{BASH_SOURCE[^}]*\}|\((?:[^()]|\([^()]*\))*\))(\/[\w./-]+)"?$/i;

function pathOf(node: SyntaxNode | null, text: Reading['text']): string {
  const written = text(node);
  const inFolder = FOLDER.exec(written)?.[1];
  if (inFolder !== undefined) return `.${inFolder}`;
  const plain = written.replace(/^(["'])(.*)\1$/, '$2');
  return /^[\w./~+@-]+$/.test(plain) && !plain.startsWith('~') ? plain : '';
}

/** POSIX shell and bash; ksh and zsh as far as they are alike. */
export const bash: LanguageRules = {
  grammar: 'bash',
  rules: new Map<string, Rule>([
    ['function_definition', func],
    ['declaration_command', declaration],
  ]),
  through: types('program if_statement elif_clause else_clause case_statement case_item list'),
  hidden: hidden('string raw_string ansi_c_string array number'),
  imports: new Map([['command', sourced]]),
  importStart: /^(?:source|\.)\s/,
  bodies: [
    ['', '', '}'],
    ['{', '', '}'],
  ],
  branches: types('if_statement elif_clause for_statement c_style_for_statement while_statement case_item && ||'),
};
