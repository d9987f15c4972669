import type {
  BinaryExpression,
  ClassElement,
  ClassLikeDeclaration,
  EnumDeclaration,
  ExportAssignment,
  Expression,
  InterfaceDeclaration,
  MethodDeclaration,
  ModuleDeclaration,
  Node,
  ParameterDeclaration,
  PropertyDeclaration,
  PropertyName,
  SourceFile,
  Statement,
  TypeAliasDeclaration,
  TypeElement,
  TypeNode,
  TypeParameterDeclaration,
  VariableDeclaration,
  VariableStatement,
} from 'typescript';
import { OutlineItems } from './outline-items.ts';
import { limitOutline } from './outline-limit.ts';
import { Lines, type ParsedTree, type TypeScript } from './parser.ts';
import {
  endOfPrefix,
  hasModifier,
  isAccess,
  isExported,
  isExportsNode,
  isFunctionNode,
  modifiersOf,
  nameAccessed,
  namesBound,
  namesExported,
  type TreeFunction,
  withoutBrackets,
  withoutCasts,
} from './tree-declarations.ts';
import { TreeSignatures } from './tree-signature.ts';
import type { Outline, OutlineKind } from './types.ts';

/** What is needed to write one item, before its lines are known. */
interface Draft {
  readonly kind: OutlineKind;
  readonly name: string;
  /** What the item's range and signature cover, `export` and decorators included. */
  readonly node: Node;
  /** Where the signature ends: before the body or the value. */
  readonly signatureEnd: number;
  /** Nodes whose values are left out of the signature. */
  readonly inside: readonly (Node | undefined)[];
  /** The class or function that is the value of `node`, if its decorators are to be left out too. */
  readonly value?: Node;
  /** Written behind the signature. */
  readonly suffix?: string;
}

/** Where an item stands: what encloses it, whether others see it, and `export default` before an expression. */
interface Place {
  readonly of?: string;
  readonly exported: boolean;
  readonly wrapper?: Node;
}

/** What functions and methods have in common. */
interface FunctionNode extends Node {
  readonly body?: Node | undefined;
  readonly parameters: readonly ParameterDeclaration[];
  readonly type?: TypeNode | undefined;
  readonly typeParameters?: readonly TypeParameterDeclaration[] | undefined;
}

/**
 * As `outlineOf` does, over TypeScript's own tree of a text that parses, and with the same items.
 * @param signatures whether the items have them
 */
export function outlineOfTree(tree: ParsedTree, language: string, signatures = true): Outline {
  const lines = new Lines(tree.text);
  const items = new OutlineItems(lines);
  const collector = new TreeCollector(tree, items, namesExported(tree.ts, tree.file.statements), {
    offset: 0,
    signatures,
  });
  collector.declarations(tree.file.statements);
  return limitOutline({ language, lines: lines.count, items: items.inOrder() });
}

/** Which part of a file a tree is of. */
export interface Part {
  readonly offset: number;
  readonly isTrusted?: (member: Node) => boolean;
  /** Whether items have signatures; they do by default. */
  readonly signatures?: boolean;
}

const WHOLE: Part = { offset: 0 };

/** Collects the items of declarations in one tree. */
export class TreeCollector {
  readonly #ts: TypeScript;
  readonly #file: SourceFile;
  readonly #signatures: TreeSignatures;
  readonly #items: OutlineItems;
  readonly #exportedNames: ReadonlySet<string>;
  readonly #offset: number;
  readonly #isSigned: boolean;
  readonly #isTrusted: (member: Node) => boolean;

  /**
   * @param exportedNames names that an `export { … }`, `export =` or `module.exports` elsewhere in the file gives away
   * @param part where the tree's text begins in the file's, and which members of its declarations count; all by default
   */
  constructor(tree: ParsedTree, items: OutlineItems, exportedNames: ReadonlySet<string>, part: Part = WHOLE) {
    this.#ts = tree.ts;
    this.#file = tree.file;
    this.#items = items;
    this.#signatures = new TreeSignatures(tree);
    this.#exportedNames = exportedNames;
    this.#offset = part.offset;
    this.#isSigned = part.signatures ?? true;
    this.#isTrusted = part.isTrusted ?? (() => true);
  }

  /**
   * Statements, or members of a class or a type.
   * @param of full name of what they stand in
   */
  declarations(nodes: readonly (Statement | ClassElement | TypeElement)[], of?: string): void {
    const ts = this.#ts;
    for (const node of nodes) {
      if (of !== undefined && ts.isClassElement(node)) this.#member(node, { of, exported: false });
      else if (of !== undefined && ts.isTypeElement(node)) this.#typeMembers([node], of);
      else this.#statement(node as Statement, of === undefined ? {} : { of });
    }
  }

  #statement(node: Statement, within: Pick<Place, 'of'>): void {
    const ts = this.#ts;
    const place = { ...within, exported: isExported(ts, node) };
    if (ts.isFunctionDeclaration(node)) this.#function(node, node.name?.text ?? 'default', node, place);
    else if (ts.isClassDeclaration(node)) this.#class(node, node.name?.text ?? 'default', node, place);
    else if (ts.isVariableStatement(node)) {
      for (const each of node.declarationList.declarations) this.#variable(node, each, place);
    } else if (ts.isInterfaceDeclaration(node)) this.#interface(node, place);
    else if (ts.isTypeAliasDeclaration(node)) this.#type(node, place);
    else if (ts.isEnumDeclaration(node)) this.#enum(node, place);
    else if (ts.isModuleDeclaration(node)) this.#namespace(node, place);
    else if (ts.isExportAssignment(node)) this.#defaultExport(node, within);
    else if (ts.isExpressionStatement(node)) this.#commonJs(node.expression, within);
  }

  #add({ kind, name, node, signatureEnd, inside, value, suffix }: Draft, { of, exported, wrapper }: Place): string {
    const start = node.getStart(this.#file);
    const from = Math.max(start, endOfPrefix(this.#ts, node), value === undefined ? 0 : endOfPrefix(this.#ts, value));
    return this.#items.add({
      kind,
      name,
      start: this.#offset + (wrapper?.getStart(this.#file) ?? start),
      end: this.#offset + (wrapper ?? node).end,
      signature: this.#isSigned ? this.#signatures.write(from, signatureEnd, inside, suffix) : '',
      exported: exported || (of === undefined && this.#exportedNames.has(name)),
      of,
    });
  }

  /** `node` is what the item covers: the function itself, or the declaration it is the value of. */
  #function(value: TreeFunction, name: string, node: Node, place: Place): void {
    this.#add({ kind: 'function', name, node, ...this.#functionSignature(value) }, place);
  }

  #functionSignature(node: FunctionNode): Pick<Draft, 'signatureEnd' | 'inside'> {
    const { parameters, type, typeParameters = [] } = node;
    const end = this.#ts.isArrowFunction(node) ? node.equalsGreaterThanToken : node.body;
    const signatureEnd = end?.getStart(this.#file) ?? node.end;
    return { signatureEnd, inside: [...parameters, type, ...typeParameters] };
  }

  #class(value: ClassLikeDeclaration, name: string, node: Node, place: Place): void {
    const inside = value.heritageClauses ?? [];
    const owner = this.#add({ kind: 'class', name, node, value, signatureEnd: value.members.pos - 1, inside }, place);
    for (const member of value.members) {
      if (this.#isTrusted(member)) this.#member(member, { of: owner, exported: false });
    }
  }

  #member(member: ClassElement, place: Place): void {
    const ts = this.#ts;
    if (ts.isMethodDeclaration(member)) {
      this.#method(this.#isConstructor(member) ? 'constructor' : 'method', this.#keyName(member.name), member, place);
    } else if (ts.isGetAccessor(member)) this.#method('getter', this.#keyName(member.name), member, place);
    else if (ts.isSetAccessor(member)) this.#method('setter', this.#keyName(member.name), member, place);
    else if (ts.isConstructorDeclaration(member)) {
      const isStatic = hasModifier(member, ts.SyntaxKind.StaticKeyword);
      this.#method(isStatic ? 'method' : 'constructor', 'constructor', member, place);
    } else if (ts.isPropertyDeclaration(member)) this.#property(member, place);
  }

  /** `'constructor'() {}` that the parser does not take for one. */
  #isConstructor(member: MethodDeclaration): boolean {
    const { name } = member;
    const isNamed = this.#ts.isStringLiteral(name) && name.text === 'constructor';
    return isNamed && !hasModifier(member, this.#ts.SyntaxKind.StaticKeyword);
  }

  #method(kind: OutlineKind, name: string, node: FunctionNode, place: Place): void {
    this.#add({ kind, name, node, ...this.#functionSignature(node) }, place);
    if (kind === 'constructor') for (const parameter of node.parameters) this.#parameterProperty(parameter, place);
  }

  #property(node: PropertyDeclaration, place: Place): void {
    const ts = this.#ts;
    const name = this.#keyName(node.name);
    const value = node.initializer === undefined ? undefined : withoutBrackets(ts, node.initializer);
    if (value !== undefined && isFunctionNode(ts, value) && !hasModifier(node, ts.SyntaxKind.AbstractKeyword)) {
      this.#add({ kind: 'method', name, node, ...this.#functionSignature(value) }, place);
      return;
    }
    const signatureEnd = (node.type ?? node.name).end;
    this.#add({ kind: 'property', name, node, signatureEnd, inside: [node.type] }, place);
  }

  /** `constructor(private readonly name: Type)` declares a property. */
  #parameterProperty(node: ParameterDeclaration, place: Place): void {
    const { name, type, questionToken, dotDotDotToken } = node;
    const { Decorator } = this.#ts.SyntaxKind;
    if (modifiersOf(node).every(({ kind }) => kind === Decorator)) return;
    if (dotDotDotToken !== undefined || !this.#ts.isIdentifier(name)) return;
    const signatureEnd = (type ?? questionToken ?? name).end;
    this.#add({ kind: 'property', name: name.text, node, signatureEnd, inside: [type] }, place);
  }

  #variable(statement: VariableStatement, declaration: VariableDeclaration, place: Place): void {
    const ts = this.#ts;
    const { name, initializer } = declaration;
    // In `const a = 1, b = 2` each item covers its own part.
    const node = statement.declarationList.declarations.length === 1 ? statement : declaration;
    const value = initializer === undefined ? undefined : withoutCasts(ts, initializer);
    if (ts.isIdentifier(name) && value !== undefined && isFunctionNode(ts, value)) {
      this.#function(value, name.text, node, place);
    } else if (ts.isIdentifier(name) && value !== undefined && ts.isClassExpression(value)) {
      this.#class(value, name.text, node, place);
    } else for (const each of namesBound(ts, name)) this.#constant(statement, declaration, each, place, node);
  }

  /** Constants and variables count when others can see them. */
  #constant(
    { declarationList }: VariableStatement,
    { name, type }: VariableDeclaration,
    bound: string,
    place: Place,
    node: Node,
  ): void {
    if (!place.exported && !(place.of === undefined && this.#exportedNames.has(bound))) return;
    const { Let, BlockScoped } = this.#ts.NodeFlags;
    const scope = declarationList.flags & BlockScoped;
    const kind = scope === Let || scope === 0 ? 'variable' : 'constant';
    // A destructured name has no declaration of its own to show.
    const signatureEnd = this.#ts.isIdentifier(name) ? (type ?? name).end : 0;
    this.#add({ kind, name: bound, node, signatureEnd, inside: signatureEnd === 0 ? [] : [type] }, place);
  }

  #interface(node: InterfaceDeclaration, place: Place): void {
    const inside = [...(node.heritageClauses ?? []), ...(node.typeParameters ?? [])];
    const signatureEnd = node.members.pos - 1;
    const owner = this.#add({ kind: 'interface', name: node.name.text, node, signatureEnd, inside }, place);
    this.#typeMembers(node.members, owner);
  }

  #type(node: TypeAliasDeclaration, place: Place): void {
    const type = this.#withoutBrackets(node.type);
    const isObject = this.#ts.isTypeLiteralNode(type);
    const signatureEnd = isObject ? type.getStart(this.#file) : node.end;
    const inside = [...(isObject ? [] : [type]), ...(node.typeParameters ?? [])];
    const owner = this.#add({ kind: 'type', name: node.name.text, node, signatureEnd, inside }, place);
    if (isObject) this.#typeMembers(type.members, owner);
  }

  #withoutBrackets(type: TypeNode): TypeNode {
    let inner = type;
    while (this.#ts.isParenthesizedTypeNode(inner)) inner = inner.type;
    return inner;
  }

  #typeMembers(members: readonly TypeElement[], of: string): void {
    for (const node of members) {
      const kind = this.#memberKind(node);
      if (kind === null || node.name === undefined || !this.#isTrusted(node)) continue;
      const name = this.#keyName(node.name);
      this.#add({ kind, name, node, signatureEnd: node.end, inside: [node] }, { of, exported: false });
    }
  }

  #memberKind(node: TypeElement): OutlineKind | null {
    const { SyntaxKind: kind } = this.#ts;
    switch (node.kind) {
      case kind.PropertySignature:
        return 'property';
      case kind.MethodSignature:
        return 'method';
      case kind.GetAccessor:
        return 'getter';
      case kind.SetAccessor:
        return 'setter';
      default:
        return null;
    }
  }

  #enum(node: EnumDeclaration, place: Place): void {
    const names = node.members.map(({ name }) => {
      const key = this.#key(name);
      return this.#ts.isIdentifier(key) ? key.text : this.#signatures.source(key);
    });
    const suffix = ` { ${names.join(', ')} }`;
    const signatureEnd = node.members.pos - 1;
    this.#add({ kind: 'enum', name: node.name.text, node, signatureEnd, inside: [], suffix }, place);
  }

  #namespace(node: ModuleDeclaration, place: Place): void {
    const ts = this.#ts;
    const names = [node.name];
    let { body } = node;
    for (; body !== undefined && ts.isModuleDeclaration(body); body = body.body) names.push(body.name);
    // `a.b.c` has no node of its own.
    const name = ts.isStringLiteral(node.name) ? node.name.text : this.#signatures.source(node.name, names.at(-1));
    const signatureEnd = body?.getStart(this.#file) ?? node.end;
    const owner = this.#add({ kind: 'namespace', name, node, signatureEnd, inside: [] }, place);
    if (body === undefined || !ts.isModuleBlock(body)) return;
    for (const statement of body.statements) if (this.#isTrusted(statement)) this.#statement(statement, { of: owner });
  }

  #defaultExport(wrapper: ExportAssignment, within: Pick<Place, 'of'>): void {
    if (wrapper.isExportEquals === true) return;
    const ts = this.#ts;
    const node = withoutBrackets(ts, wrapper.expression);
    const place = { ...within, wrapper, exported: true };
    if (isFunctionNode(ts, node)) this.#function(node, node.name?.text ?? 'default', node, place);
    else if (ts.isClassExpression(node)) this.#class(node, node.name?.text ?? 'default', node, place);
    else if (!ts.isIdentifier(node)) {
      this.#add({ kind: 'constant', name: 'default', node, signatureEnd: 0, inside: [] }, place);
    }
  }

  /** `exports.name = function () {}` and `module.exports.name = …` declare as much as `export` does. */
  #commonJs(expression: Expression, within: Pick<Place, 'of'>): void {
    const ts = this.#ts;
    const node = withoutBrackets(ts, expression);
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return;
    const name = this.#nameGiven(node);
    if (name === null) return;
    const place = { ...within, exported: true };
    const value = withoutBrackets(ts, node.right);
    if (isFunctionNode(ts, value)) this.#function(value, name, node, place);
    else if (ts.isClassExpression(value)) this.#class(value, name, node, place);
    else if (!ts.isIdentifier(value)) {
      const signatureEnd = withoutBrackets(ts, node.left).end;
      this.#add({ kind: 'constant', name, node, signatureEnd, inside: [] }, place);
    }
  }

  /** `name` of an assignment to `exports.name`. */
  #nameGiven({ left }: BinaryExpression): string | null {
    const target = withoutBrackets(this.#ts, left);
    if (!isAccess(this.#ts, target) || !isExportsNode(this.#ts, target.expression)) return null;
    return nameAccessed(this.#ts, target);
  }

  #keyName(name: PropertyName): string {
    const ts = this.#ts;
    const key = this.#key(name);
    if (ts.isStringLiteral(key)) return key.text;
    if (ts.isComputedPropertyName(name)) return `[${this.#signatures.source(key).slice(0, 80)}]`;
    return ts.isIdentifier(key) || ts.isPrivateIdentifier(key) ? key.text : this.#signatures.source(key);
  }

  /** A name, or what a computed one is made from. */
  #key(name: PropertyName): Node {
    return this.#ts.isComputedPropertyName(name) ? withoutBrackets(this.#ts, name.expression) : name;
  }
}
