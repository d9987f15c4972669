import type { ClassElement, Node, NodeArray, Statement, TypeElement } from 'typescript';
import type { ImportSite } from './imports.ts';
import { OutlineItems } from './outline-items.ts';
import { limitOutline } from './outline-limit.ts';
import { Lines, type ParsedTree } from './parser.ts';
import { namesExported, withoutBrackets, withoutCasts } from './tree-declarations.ts';
import { importSitesOfTree } from './tree-imports.ts';
import { TreeCollector } from './tree-outline.ts';
import type { Outline } from './types.ts';

/**
 * Outlines and imports of a text in the middle of an edit. TypeScript's tree is right up to the first error and a guess
 * behind it: where a brace is missing, all that follows is inside. So it is parsed again from the next line on that looks
 * like a declaration and is indented no deeper than the one with the error in it; of that one its members are found in
 * the same way. What is left of a text that is not indented is what the tree says.
 */

/** Texts with more errors than this are parsed again from declaration to declaration, not to their end. */
const MOST_RESTS = 8;
/** Every part is parsed by itself; a text that is broken all over is left at that. */
const MOST_PARTS = 400;

const DECLARES =
  /^(?:@|export\b|import\b|declare\b|abstract\b|async\b|function\b|class\b|interface\b|type\s+[\w$]|enum\b|namespace\b|module\b|const\b|let\b|var\b|(?:module\.)?exports\b)/;
const MEMBER =
  /^(?!(?:if|for|while|do|switch|return|throw|else|case|default|try|catch|finally|break|continue)\b)[\w$#@*["'\p{L}]/u;

/** A line of a comment that is not closed on it and does not go on in the next one as comments do: its end was cut off. */
const OPEN_COMMENT = /^[ \t]*(?:\/\*|\*(?!\/))(?:(?!\*\/).)*$(?!\r?\n[ \t]*\*)/gm;

/** What the nodes of a region are: statements, or members of a class or of a type. */
interface Level {
  /** Stands before a part of the region so that it can be parsed. */
  readonly opening: string;
  /** Lines that may begin a declaration. */
  readonly begins: RegExp;
}

const TOP: Level = { opening: '', begins: DECLARES };

/** A part of the text, as offsets in it. */
interface Region {
  readonly start: number;
  readonly end: number;
}

/** One with declarations side by side. */
interface ListRegion extends Region {
  /** How far they are indented, in columns. */
  readonly indent: number;
}

type Declaration = Statement | ClassElement | TypeElement;

/** A parsed part of the text. */
interface Part {
  readonly tree: ParsedTree;
  /** From a position in the tree to one in the text. */
  readonly offset: number;
  readonly nodes: NodeArray<Declaration>;
}

/** Declarations that are told, in the order in which they are. */
interface Step {
  readonly part: Part;
  readonly nodes: readonly Declaration[];
  /** The one whose first item they are members of. */
  readonly within: Step | null;
  /** Which members of them count. */
  readonly isTrusted?: (member: Node) => boolean;
  /** Where the first of them ends, when its tree does not know. */
  readonly end?: number;
}

/** What is told of a broken text. */
export interface Recovered {
  readonly outline: Outline;
  readonly imports: readonly ImportSite[];
}

/** @param tree of a text that does not parse */
export function recover(tree: ParsedTree, language: string): Recovered {
  const asItIs = recoverFrom(tree, language);
  const closed = tree.text.replace(OPEN_COMMENT, '$& */');
  if (closed === tree.text) return asItIs;
  const mended = recoverFrom(tree.again(closed), language);
  return mended.outline.items.length > asItIs.outline.items.length ? mended : asItIs;
}

function recoverFrom(tree: ParsedTree, language: string): Recovered {
  const lines = new Lines(tree.text);
  const recovery = new Recovery(tree);
  // A name that is not written yet is empty.
  const items = recovery
    .items(lines)
    .inOrder()
    .filter(({ name, of }) => name !== '' && of?.split('.').includes('') !== true);
  return { outline: limitOutline({ language, lines: lines.count, items }), imports: recovery.imports(lines) };
}

class Recovery {
  readonly #text: string;
  readonly #whole: ParsedTree;
  readonly #parts: Part[] = [];
  readonly #steps: Step[] = [];

  constructor(tree: ParsedTree) {
    this.#whole = tree;
    this.#text = tree.text;
    const whole = { tree, offset: 0, nodes: tree.file.statements };
    this.#parts.push(whole);
    const [first] = whole.nodes;
    const indent = first === undefined ? 0 : this.#indentAt(first.getStart(tree.file));
    this.#region({ start: 0, end: tree.text.length, indent }, TOP, null, whole);
  }

  items(lines: Lines): OutlineItems {
    const items = new OutlineItems(lines);
    const exported = new Set(this.#parts.flatMap(({ tree: { ts, file } }) => [...namesExported(ts, file.statements)]));
    const names = new Map<Step, string | undefined>();
    for (const step of this.#steps) {
      const { part, nodes, within, isTrusted, end } = step;
      const { tree, offset } = part;
      const collector = new TreeCollector(tree, items, exported, { offset, ...(isTrusted ? { isTrusted } : {}) });
      const first = items.count;
      const of = within === null ? undefined : names.get(within);
      if (within !== null && of === undefined) continue;
      collector.declarations(nodes, of);
      names.set(step, items.fullName(first));
      if (end !== undefined) items.endAt(first, end);
    }
    return items;
  }

  /** Of all parts: they overlap, and what is told of the same line is the same. */
  imports(lines: Lines): readonly ImportSite[] {
    const sites = new Map<string, ImportSite>();
    for (const { tree, offset } of this.#parts) {
      const before = lines.at(Math.max(0, offset)) - 1;
      for (const site of importSitesOfTree(tree)) {
        const line = site.line + before;
        const key = `${line} ${site.module}`;
        if (!sites.has(key)) sites.set(key, { ...site, line });
      }
    }
    return [...sites.values()].sort((a, b) => a.line - b.line);
  }

  /** @param known the region's tree, when it was parsed already */
  #region({ start, end, indent }: ListRegion, level: Level, within: Step | null, known?: Part): void {
    for (let at = start, rests = 0; at < end; rests++) {
      const until = rests < MOST_RESTS ? end : this.#next(at, end, level, indent);
      const part = rests === 0 && known !== undefined ? known : this.#parse({ start: at, end: until }, level);
      if (part === null) return;
      const { nodes, offset, tree } = part;
      const [error] = tree.errors;
      if (error === undefined) {
        this.#steps.push({ part, nodes, within });
        at = until;
        continue;
      }
      const broken = this.#brokenIn(part, error);
      this.#steps.push({ part, nodes: nodes.slice(0, Math.max(0, broken)), within });
      const node = nodes[broken];
      const from = offset + (node?.getStart(tree.file) ?? nodes.end);
      at = this.#next(from, until, level, indent);
      if (node !== undefined) this.#declaration({ start: from, end: at }, level, within);
    }
  }

  /** Number of the first node that cannot be trusted; -1 when there is none at all. */
  #brokenIn({ nodes, tree, offset }: Part, error: number): number {
    const at = nodes.findIndex((node) => node.end >= error);
    // A brace that is missing is missed at the very end; then it is the last one that has not got it.
    if (at <= 0) return at < 0 ? nodes.length - 1 : at;
    const [before, node] = [nodes[at - 1], nodes[at]];
    if (before === undefined || node === undefined || this.#bodyOf(before) === null) return at;
    // One that was never closed, or closed by a brace too many, so that its members stand behind it.
    const isOpen = tree.text[before.end - 1] !== '}';
    const indents = [before, node].map((each) => this.#indentAt(offset + each.getStart(tree.file)));
    return isOpen || (indents[0] ?? 0) < (indents[1] ?? 0) ? at - 1 : at;
  }

  /** One declaration that an error is in, or beside. */
  #declaration(region: Region, level: Level, within: Step | null): void {
    const part = this.#parse(region, level);
    const node = part?.nodes[0];
    if (part === null || node === undefined) return;
    const { tree, offset, nodes } = part;
    const [error] = tree.errors;
    if (error === undefined) {
      this.#steps.push({ part, nodes, within });
      return;
    }
    const isTrusted = (member: Node) => member.end < error;
    const step = { part, nodes: [node], within, isTrusted, end: this.#endOf(region) };
    this.#steps.push(step);
    const body = this.#bodyOf(node);
    if (body === null) return;
    const { list, ...inner } = body;
    const broken = list.find((member) => !isTrusted(member));
    const [first = broken] = list;
    const behind = offset + (broken?.getStart(tree.file) ?? list.end);
    const indent = first === undefined ? this.#indentBelow(region) : this.#indentAt(offset + first.getStart(tree.file));
    const start = broken === undefined ? this.#next(behind, region.end, inner, indent) : behind;
    this.#region({ start, end: region.end, indent }, inner, step);
  }

  /** Null when too many were. */
  #parse({ start, end }: Region, { opening }: Level): Part | null {
    if (this.#parts.length > MOST_PARTS) return null;
    const tree = this.#whole.again(opening + this.#text.slice(start, end));
    const nodes = opening === '' ? tree.file.statements : this.#listIn(tree.file.statements[0]);
    if (nodes === null) return null;
    const part = { tree, offset: start - opening.length, nodes };
    this.#parts.push(part);
    return part;
  }

  #listIn(node: Declaration | undefined): NodeArray<Declaration> | null {
    return node === undefined ? null : (this.#bodyOf(node)?.list ?? null);
  }

  /** What may have members that are told. */
  #bodyOf(node: Declaration): (Level & { readonly list: NodeArray<Declaration> }) | null {
    const { ts } = this.#whole;
    const value = declaredBy(this.#whole, node);
    if (ts.isClassLike(value)) return { opening: 'class _{', begins: MEMBER, list: value.members };
    if (ts.isInterfaceDeclaration(value) || ts.isTypeLiteralNode(value)) {
      return { opening: 'interface _{', begins: MEMBER, list: value.members };
    }
    if (ts.isModuleBlock(value)) return { opening: 'namespace _{', begins: DECLARES, list: value.statements };
    return null;
  }

  /** Where the next line behind `from` begins that looks like a declaration and is indented no deeper; else `end`. */
  #next(from: number, end: number, { begins }: Level, indent: number): number {
    for (let at = this.#lineBehind(from); at < end; at = this.#lineBehind(at)) {
      const width = this.#indentAt(at);
      const first = at + (/^[ \t]*/.exec(this.#text.slice(at, at + 200))?.[0].length ?? 0);
      if (width <= indent && begins.test(this.#text.slice(first, first + 80))) return at;
    }
    return end;
  }

  #lineBehind(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end + 1;
  }

  /** How far the line of an offset is indented, in columns; a tab counts as four. */
  #indentAt(offset: number): number {
    const start = this.#text.lastIndexOf('\n', offset - 1) + 1;
    const [space = ''] = /^[ \t]*/.exec(this.#text.slice(start, start + 200)) ?? [];
    return space.replaceAll('\t', '    ').length;
  }

  /** How far the first line below the first one of a region is indented. */
  #indentBelow({ start, end }: Region): number {
    for (let at = this.#lineBehind(start); at < end; at = this.#lineBehind(at)) {
      if (/\S/.test(this.#text.slice(at, this.#lineBehind(at)))) return this.#indentAt(at);
    }
    return 0;
  }

  /** Where a declaration ends that fills its region: before the comments of what follows. */
  #endOf({ start, end }: Region): number {
    let last = end;
    for (;;) {
      last = start + this.#text.slice(start, last).trimEnd().length;
      const line = Math.max(this.#text.lastIndexOf('\n', last - 1) + 1, start);
      if (line <= start || !/^\s*(?:\/[/*]|\*)/.test(this.#text.slice(line, last))) return last;
      last = line;
    }
  }
}

/** The class, interface, type or block that a declaration is or gives a name to. */
function declaredBy({ ts }: ParsedTree, node: Node): Node {
  if (ts.isExportAssignment(node)) return withoutBrackets(ts, node.expression);
  if (ts.isTypeAliasDeclaration(node)) return node.type;
  if (ts.isVariableStatement(node)) {
    const [declaration] = node.declarationList.declarations;
    const value = declaration?.initializer;
    return value === undefined ? node : withoutCasts(ts, value);
  }
  if (!ts.isModuleDeclaration(node)) return node;
  let { body } = node;
  while (body !== undefined && ts.isModuleDeclaration(body)) body = body.body;
  return body ?? node;
}
