import type { Node } from '@vscode/tree-sitter-wasm';
import type { FoundImport } from '../imports.ts';
import type { OutlineKind } from '../types.ts';

/** A node of the syntax tree. Its positions are UTF-16 offsets into the text. */
export type SyntaxNode = Node;

/** Where a declaration stands. */
export interface Scope {
  /** What encloses it: its full name and kind; undefined at the top of the file. */
  readonly of: string | undefined;
  readonly kind: OutlineKind | undefined;
  /** Its name without what encloses it. */
  readonly name: string | undefined;
  /** How many functions it is inside of. */
  readonly functions: number;
  /** Names that something further down makes private. */
  readonly concealed?: ReadonlySet<string>;
  /** What is visible from here on, where a language says that for several declarations at once (`private:`). */
  visible: boolean;
}

/** What a rule makes of a node. */
export interface Found {
  readonly kind: OutlineKind;
  readonly name: string;
  readonly exported: boolean;
  /** Before what its signature ends: the body or the value; the end of the node without one. */
  readonly before?: SyntaxNode | null;
  /** What its lines and its signature are taken from, where that is not the node of the rule. */
  readonly node?: SyntaxNode;
  /** Where the signature starts, where that is not the node's start. */
  readonly from?: SyntaxNode;
  /** Written behind the signature. */
  readonly suffix?: string;
  /** What encloses it, where that is not what stands around it: the type of a method. */
  readonly of?: string;
  /** Its members are looked for in these nodes. */
  readonly inside?: readonly (SyntaxNode | null)[];
  /** Members that are not visible whatever is said elsewhere. */
  readonly concealed?: ReadonlySet<string>;
  /** Whether members are visible until something else is said. */
  readonly visible?: boolean;
}

/** What a rule may ask. */
export interface Reading {
  /** A node as the text has it; empty for none. */
  text(node: SyntaxNode | null | undefined): string;
  readonly scope: Scope;
}

/** @returns what the node declares, or null for nothing */
export type Rule = (node: SyntaxNode, reading: Reading) => Found | readonly Found[] | null;

/** Passes an import on as it is found. */
export type ImportRule = (node: SyntaxNode, text: Reading['text']) => FoundImport | readonly FoundImport[] | null;

/** What is said of one language. Node types and fields are those of its grammar. */
export interface LanguageRules {
  /** As in the name of the grammar's file. */
  readonly grammar: string;
  /** What nodes declare. */
  readonly rules: ReadonlyMap<string, Rule>;
  /** Nodes without a rule whose children stand where they stand themselves. */
  readonly through: ReadonlySet<string>;
  /** As `through`, for a declaration with something in front: its lines are those of the whole; true: its signature too. */
  readonly wrappers?: ReadonlyMap<string, boolean>;
  /** Nodes in front of a declaration that belong to its lines. */
  readonly prefixes?: ReadonlySet<string>;
  /** Nodes that stand in a signature, and what is written for them: literals are values, and values are not facts. */
  readonly hidden: ReadonlyMap<string, string>;
  /** Fields that hold a default value, by the type of the node that has them; `=` where it has no field. */
  readonly values?: ReadonlyMap<string, string>;
  /** Nodes whose own literals are types. */
  readonly literalTypes?: ReadonlySet<string>;
  /** Parts of such a node that are values all the same: what `Annotated` says of a type. */
  readonly remarks?: (node: SyntaxNode) => readonly SyntaxNode[];
  readonly imports: ReadonlyMap<string, ImportRule>;
  /** How the text of an import begins, where nodes of its types are mostly something else. */
  readonly importStart?: RegExp;
  /** Node types that are a decision: one more way through a function. */
  readonly branches: ReadonlySet<string>;
  /**
   * What has to stand around a part of a file, and around members of a type `__`; whether no statement can be taken for a
   * member, so that members are found also where nobody knows whose they are.
   */
  readonly around?: {
    readonly top?: readonly [string, string];
    readonly member?: readonly [string, string];
    readonly alone?: true;
  };
  /** Declarations that stand anywhere and mean the same everywhere, to be found line by line. */
  readonly directives?: RegExp;
  /** How a body opens (where it is not open yet), what it cannot do without, and how it closes; the first that fits. */
  readonly bodies: readonly (readonly [open: string, filler: string, close: string])[];
  /** What only the whole file tells: exports that are listed in one place. */
  readonly finish?: (root: SyntaxNode, text: Reading['text']) => ((found: Found, scope: Scope) => Found | null) | null;
}

/** Node types as a set, written in one string. */
export function types(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

/** What is written for literals, by node type. */
export function hidden(names: string, others: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
  return new Map([...names.split(' ').map((name) => [name, '…'] as const), ...Object.entries(others)]);
}

/** The parts of a node that are neither comments nor punctuation. */
export function parts(node: SyntaxNode | null | undefined): readonly SyntaxNode[] {
  return (node?.namedChildren ?? []).filter((child) => child !== null && !child.isExtra) as SyntaxNode[];
}

/** The first part of one of these types. */
export function partOf(node: SyntaxNode | null | undefined, ...wanted: readonly string[]): SyntaxNode | null {
  return parts(node).find(({ type }) => wanted.includes(type)) ?? null;
}

/** All children of a field. */
export function fields(node: SyntaxNode, name: string): readonly SyntaxNode[] {
  // The commas between them have the field too.
  return node.childrenForFieldName(name).filter((child) => child?.isNamed === true) as SyntaxNode[];
}

/** The first token of its own that is written so. */
export function tokenOf(node: SyntaxNode, token: string): SyntaxNode | null {
  return node.children.find((child) => child?.type === token) ?? null;
}

/** What stands behind a node's own `=`. */
export function assigned(node: SyntaxNode): SyntaxNode | null {
  return tokenOf(node, '=')?.nextSibling ?? null;
}

/** Whether a node has a word (`static`) among its own tokens. */
export function hasToken(node: SyntaxNode | null | undefined, word: string): boolean {
  return (node?.children ?? []).some((child) => child !== null && child.type === word);
}
