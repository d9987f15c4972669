import type { TSESTree } from '@typescript-eslint/typescript-estree';
import {
  boundNames,
  exportedNames,
  type FunctionLike,
  isExports,
  isFunction,
  type MethodLike,
  memberName,
  type PropertyLike,
  signatureNodes,
  unwrapped,
} from './declarations.ts';
import { OutlineItems } from './outline-items.ts';
import { limitOutline } from './outline-limit.ts';
import { Lines, type Parsed } from './parser.ts';
import { Signatures } from './signature.ts';
import type { Outline, OutlineKind } from './types.ts';

type Node = TSESTree.Node;

/** Declarations that stand in a list of statements. */
type Statement = TSESTree.ProgramStatement;

/** What is needed to write one item, before its lines are known. */
interface Draft {
  readonly kind: OutlineKind;
  readonly name: string;
  /** What the item's range covers; decorators are added. */
  readonly node: Node;
  /** Where the signature ends: before the body or the value. */
  readonly signatureEnd: number;
  /** Nodes whose values are left out of the signature. */
  readonly inside: readonly (Node | null | undefined)[];
  readonly decorators?: readonly TSESTree.Decorator[];
  /** Written behind the signature. */
  readonly suffix?: string;
}

/** Where an item stands: what encloses it, and the `export` around it if there is one. */
interface Place {
  readonly of?: string;
  readonly wrapper?: Node;
  readonly exported: boolean;
}

/**
 * The outline of a parsed file: functions, classes, interfaces, types, enums and namespaces with their members, exported
 * constants and variables, and arrow functions. Signatures are declarations without bodies and default values.
 * @param language language id of the file
 */
export function outlineOf(parsed: Parsed, language: string): Outline {
  const lines = new Lines(parsed.text);
  const items = new Collector(parsed, lines).collect().inOrder();
  return limitOutline({ language, lines: lines.count, items });
}

class Collector {
  readonly #program: TSESTree.Program;
  readonly #signatures: Signatures;
  readonly #items: OutlineItems;
  /** Names that an `export { … }`, `export =` or `module.exports` elsewhere in the file gives away. */
  readonly #exportedNames: ReadonlySet<string>;

  constructor(parsed: Parsed, lines: Lines) {
    const { program } = parsed;
    this.#program = program;
    this.#items = new OutlineItems(lines);
    this.#signatures = new Signatures(parsed);
    this.#exportedNames = exportedNames(program.body);
  }

  collect(): OutlineItems {
    for (const statement of this.#program.body) this.#statement(statement, { exported: false });
    return this.#items;
  }

  #statement(statement: Statement | TSESTree.ExportDefaultDeclaration['declaration'], place: Place): void {
    switch (statement.type) {
      case 'ExportNamedDeclaration':
        if (statement.declaration !== null) {
          this.#statement(statement.declaration, { ...place, wrapper: statement, exported: true });
        }
        break;
      case 'ExportDefaultDeclaration':
        this.#defaultExport(statement, place);
        break;
      case 'FunctionDeclaration':
      case 'TSDeclareFunction':
        this.#function(statement, statement.id?.name ?? 'default', statement, place);
        break;
      case 'ClassDeclaration':
        this.#class(statement, statement.id?.name ?? 'default', statement, place);
        break;
      case 'VariableDeclaration':
        for (const declarator of statement.declarations) this.#variable(statement, declarator, place);
        break;
      case 'TSInterfaceDeclaration':
        this.#interface(statement, place);
        break;
      case 'TSTypeAliasDeclaration':
        this.#type(statement, place);
        break;
      case 'TSEnumDeclaration':
        this.#enum(statement, place);
        break;
      case 'TSModuleDeclaration':
        this.#namespace(statement, place);
        break;
      case 'ExpressionStatement':
        this.#commonJs(statement, place);
        break;
    }
  }

  #add(draft: Draft, place: Place): string {
    const whole = place.wrapper ?? draft.node;
    const start = Math.min(whole.range[0], ...(draft.decorators ?? []).map((each) => each.range[0]));
    const end = Math.max(whole.range[1], draft.node.range[1]);
    const from = Math.max(draft.node.range[0], ...(draft.decorators ?? []).map((each) => each.range[1]));
    const signature = this.#signatures.write(from, draft.signatureEnd, draft.inside, draft.suffix);
    const exported = place.exported || (place.of === undefined && this.#exportedNames.has(draft.name));
    const { kind, name } = draft;
    return this.#items.add({ kind, name, start, end, signature, exported, of: place.of });
  }

  /** `node` is what the item covers: the function itself, or the declaration it is the value of. */
  #function(value: FunctionLike, name: string, node: Node, place: Place): void {
    this.#add({ kind: 'function', name, node, ...this.#functionSignature(value) }, place);
  }

  #functionSignature(value: FunctionLike): Pick<Draft, 'signatureEnd' | 'inside'> {
    return { signatureEnd: this.#signatures.endOf(value), inside: signatureNodes(value) };
  }

  #class(value: TSESTree.ClassDeclaration | TSESTree.ClassExpression, name: string, node: Node, place: Place): void {
    const inside = [value.superClass, value.superTypeArguments, ...value.implements];
    const { decorators } = value;
    const owner = this.#add(
      { kind: 'class', name, node, signatureEnd: value.body.range[0], inside, decorators },
      place,
    );
    for (const member of value.body.body) this.#member(member, { of: owner, exported: false });
  }

  #member(member: TSESTree.ClassElement, place: Place): void {
    switch (member.type) {
      case 'MethodDefinition':
      case 'TSAbstractMethodDefinition':
        this.#method(member, place);
        break;
      case 'PropertyDefinition':
      case 'TSAbstractPropertyDefinition':
      case 'AccessorProperty':
      case 'TSAbstractAccessorProperty':
        this.#property(member, place);
        break;
    }
  }

  #method(member: MethodLike, place: Place): void {
    const { kind, value, decorators } = member;
    const draft = { kind: METHOD_KINDS[kind], name: this.#keyName(member), node: member, decorators };
    this.#add({ ...draft, ...this.#functionSignature(value) }, place);
    if (kind === 'constructor') this.#parameterProperties(value.params, place);
  }

  #property(member: PropertyLike, place: Place): void {
    const { value, decorators } = member;
    const name = this.#keyName(member);
    if (value !== null && isFunction(value)) {
      this.#add({ kind: 'method', name, node: member, decorators, ...this.#functionSignature(value) }, place);
      return;
    }
    const signatureEnd = member.typeAnnotation?.range[1] ?? this.#signatures.endOfKey(member);
    this.#add(
      { kind: 'property', name, node: member, signatureEnd, inside: [member.typeAnnotation], decorators },
      place,
    );
  }

  /** `constructor(private readonly name: Type)` declares a property. */
  #parameterProperties(params: readonly TSESTree.Parameter[], place: Place): void {
    for (const node of params) {
      if (node.type !== 'TSParameterProperty') continue;
      const target = node.parameter.type === 'AssignmentPattern' ? node.parameter.left : node.parameter;
      if (target.type !== 'Identifier') continue;
      const { decorators } = node;
      const signatureEnd = target.range[1];
      this.#add({ kind: 'property', name: target.name, node, signatureEnd, inside: [target], decorators }, place);
    }
  }

  #variable(declaration: TSESTree.VariableDeclaration, declarator: TSESTree.VariableDeclarator, place: Place): void {
    const { id, init } = declarator;
    // In `const a = 1, b = 2` each item covers its own part.
    const alone = declaration.declarations.length === 1;
    const node = alone ? declaration : declarator;
    const here: Place = alone
      ? place
      : { ...(place.of === undefined ? {} : { of: place.of }), exported: place.exported };
    const value = init === null ? null : unwrapped(init);
    if (id.type === 'Identifier' && value !== null && isFunction(value)) this.#function(value, id.name, node, here);
    else if (id.type === 'Identifier' && value?.type === 'ClassExpression') this.#class(value, id.name, node, here);
    else for (const name of boundNames(id)) this.#constant(declaration, id, name, node, here);
  }

  /** Constants and variables count when others can see them. */
  #constant(
    { kind }: TSESTree.VariableDeclaration,
    id: TSESTree.BindingName,
    name: string,
    node: Node,
    place: Place,
  ): void {
    if (!place.exported && !(place.of === undefined && this.#exportedNames.has(name))) return;
    const itemKind = kind === 'let' || kind === 'var' ? 'variable' : 'constant';
    // A destructured name has no declaration of its own to show.
    const signatureEnd = id.type === 'Identifier' ? id.range[1] : node.range[0];
    this.#add({ kind: itemKind, name, node, signatureEnd, inside: [id] }, place);
  }

  #interface(node: TSESTree.TSInterfaceDeclaration, place: Place): void {
    const inside = [...node.extends, node.typeParameters];
    const owner = this.#add(
      { kind: 'interface', name: node.id.name, node, signatureEnd: node.body.range[0], inside },
      place,
    );
    this.#typeMembers(node.body.body, owner);
  }

  #type(node: TSESTree.TSTypeAliasDeclaration, place: Place): void {
    const { id, typeAnnotation, typeParameters } = node;
    const isObject = typeAnnotation.type === 'TSTypeLiteral';
    const signatureEnd = isObject ? typeAnnotation.range[0] : node.range[1];
    const inside = [typeAnnotation, typeParameters];
    const owner = this.#add({ kind: 'type', name: id.name, node, signatureEnd, inside }, place);
    if (isObject) this.#typeMembers(typeAnnotation.members, owner);
  }

  #typeMembers(members: readonly TSESTree.TypeElement[], of: string): void {
    for (const node of members) {
      if (node.type !== 'TSPropertySignature' && node.type !== 'TSMethodSignature') continue;
      const kind = node.type === 'TSPropertySignature' ? 'property' : METHOD_KINDS[node.kind];
      const name = this.#keyName(node);
      this.#add({ kind, name, node, signatureEnd: node.range[1], inside: [node] }, { of, exported: false });
    }
  }

  #enum(node: TSESTree.TSEnumDeclaration, place: Place): void {
    const names = node.body.members.map(({ id }) => (id.type === 'Identifier' ? id.name : this.#signatures.source(id)));
    const suffix = ` { ${names.join(', ')} }`;
    this.#add({ kind: 'enum', name: node.id.name, node, signatureEnd: node.body.range[0], inside: [], suffix }, place);
  }

  #namespace(node: TSESTree.TSModuleDeclaration, place: Place): void {
    const name = node.id.type === 'Literal' ? node.id.value : this.#signatures.source(node.id);
    const signatureEnd = node.body?.range[0] ?? node.range[1];
    const owner = this.#add({ kind: 'namespace', name, node, signatureEnd, inside: [] }, place);
    for (const statement of node.body?.body ?? []) this.#statement(statement, { of: owner, exported: false });
  }

  #defaultExport(wrapper: TSESTree.ExportDefaultDeclaration, place: Place): void {
    const { declaration } = wrapper;
    const here = { ...place, wrapper, exported: true };
    if (isFunction(declaration)) this.#function(declaration, declaration.id?.name ?? 'default', declaration, here);
    else if (declaration.type === 'ClassDeclaration' || declaration.type === 'ClassExpression') {
      this.#class(declaration, declaration.id?.name ?? 'default', declaration, here);
    } else if (declaration.type === 'TSInterfaceDeclaration') this.#statement(declaration, here);
    else if (declaration.type !== 'Identifier') {
      this.#add({ kind: 'constant', name: 'default', node: declaration, signatureEnd: 0, inside: [] }, here);
    }
  }

  /** `exports.name = function () {}` and `module.exports.name = …` declare as much as `export` does. */
  #commonJs({ expression }: TSESTree.ExpressionStatement, place: Place): void {
    if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') return;
    const { left, right } = expression;
    const name = left.type === 'MemberExpression' && isExports(left.object) ? memberName(left) : null;
    if (name === null) return;
    const here = { ...place, exported: true };
    if (isFunction(right)) this.#function(right, name, expression, here);
    else if (right.type === 'ClassExpression') this.#class(right, name, expression, here);
    else if (right.type !== 'Identifier') {
      this.#add({ kind: 'constant', name, node: expression, signatureEnd: left.range[1], inside: [] }, here);
    }
  }

  #keyName({ key, computed }: { readonly key: Node; readonly computed: boolean }): string {
    if (key.type === 'Literal' && typeof key.value === 'string') return key.value;
    if (computed) return `[${this.#signatures.source(key).slice(0, 80)}]`;
    if (key.type === 'PrivateIdentifier') return `#${key.name}`;
    return key.type === 'Identifier' ? key.name : this.#signatures.source(key);
  }
}

const METHOD_KINDS = { method: 'method', constructor: 'constructor', get: 'getter', set: 'setter' } as const;
