import type { Declared } from '../outline-items.ts';
import type { Found, LanguageRules, Reading, Scope, SyntaxNode } from './language.ts';
import { GrammarSignatures } from './signatures.ts';

/** A declaration that was found, and whether all of it parses. */
export interface Declaration extends Declared {
  readonly intact: boolean;
}

/** What stands around or in front of a declaration and belongs to it. */
interface Around {
  readonly start: number;
  readonly end: number;
  /** Whether the signature starts with it. */
  readonly shown: boolean;
}

/** Deeper than anybody nests declarations; a text may nest as deeply as it is long. */
const MAX_DEPTH = 200;

/** What the whole file makes of a declaration, or null where it makes nothing. */
export type Change = ((found: Found, scope: Scope) => Found | null) | null;

/** Reads nodes in their text. */
export function textIn(text: string): Reading['text'] {
  return (node) => (node === null || node === undefined ? '' : text.slice(node.startIndex, node.endIndex));
}

/** Collects the declarations of one tree by the rules of its language. */
export class Walker {
  readonly #text: string;
  readonly #language: LanguageRules;
  readonly #signatures: GrammarSignatures;
  readonly #found: Declaration[] = [];
  readonly #change: Change;
  readonly #textOf: Reading['text'];
  readonly #scopes: { readonly start: number; readonly scope: Scope }[] = [];

  constructor(text: string, language: LanguageRules, change: Change) {
    this.#text = text;
    this.#language = language;
    this.#signatures = new GrammarSignatures(text, language);
    this.#change = change;
    this.#textOf = textIn(text);
  }

  /** What declarations enclose that may enclose others, by where they start. */
  get scopes(): readonly { readonly start: number; readonly scope: Scope }[] {
    return this.#scopes;
  }

  /** @param scope what the tree stands in, when it is of a part of the file */
  collect(root: SyntaxNode, scope: Scope = fileScope()): readonly Declaration[] {
    this.#children(root, scope, null, 0);
    return this.#found;
  }

  #children(parent: SyntaxNode, scope: Scope, around: Around | null, depth: number): void {
    if (depth > MAX_DEPTH) return;
    let prefix: SyntaxNode | null = null;
    for (const node of parent.namedChildren) {
      if (node === null) continue;
      if (this.#language.prefixes?.has(node.type) === true) prefix ??= node;
      else if (!node.isExtra || node.isError) {
        const front = prefix === null ? null : { start: prefix.startIndex, end: node.endIndex, shown: false };
        this.#node(node, scope, around ?? front, depth);
        prefix = null;
      }
    }
  }

  #node(node: SyntaxNode, scope: Scope, around: Around | null, depth: number): void {
    const { rules, through, wrappers } = this.#language;
    const rule = rules.get(node.type);
    if (rule !== undefined) {
      const reading: Reading = { text: this.#textOf, scope };
      const found = rule(node, reading);
      for (const each of found === null ? [] : Array.isArray(found) ? found : [found]) {
        this.#add(each as Found, node, scope, around, depth);
      }
      return;
    }
    const shown = wrappers?.get(node.type);
    if (shown !== undefined) {
      const start = around?.start ?? node.startIndex;
      this.#children(node, scope, { start, end: node.endIndex, shown: shown || around?.shown === true }, depth + 1);
    } else if (node.isError || through.has(node.type)) this.#children(node, scope, null, depth + 1);
  }

  #add(draft: Found, ruled: SyntaxNode, scope: Scope, around: Around | null, depth: number): void {
    const found = this.#change === null ? draft : this.#change(draft, scope);
    if (found === null) return;
    const node = found.node ?? ruled;
    const start = around?.start ?? node.startIndex;
    const from = found.from ?? (around?.shown === true ? null : node);
    const of = found.of ?? scope.of;
    const name = found.name.replace(/\s+/gu, ' ');
    if (name !== '') {
      this.#found.push({
        kind: found.kind,
        name,
        start,
        end: this.#trimmed(start, Math.max(node.endIndex, around?.end ?? 0)),
        signature: this.#signatures.write(node, from?.startIndex ?? start, found.before ?? null, found.suffix ?? ''),
        exported: found.exported,
        of,
        intact: !node.hasError && !node.isMissing,
      });
    }
    if (found.inside === undefined) return;
    const isFunction = found.kind === 'function' || found.kind === 'method' || found.kind === 'constructor';
    const inner: Scope = {
      of: name === '' ? of : of === undefined ? name : `${of}.${name}`,
      kind: found.kind,
      name,
      functions: scope.functions + (isFunction ? 1 : 0),
      visible: found.visible ?? true,
      ...(found.concealed === undefined ? {} : { concealed: found.concealed }),
    };
    this.#scopes.push({ start, scope: inner });
    for (const body of found.inside) if (body !== null) this.#children(body, inner, null, depth + 1);
  }

  /** Some grammars count the line end to a node. */
  #trimmed(start: number, end: number): number {
    let at = end;
    while (at > start + 1 && /\s/.test(this.#text.charAt(at - 1))) at -= 1;
    return at;
  }
}

/** The scope of what stands at the top of a file. */
export function fileScope(): Scope {
  return { of: undefined, kind: undefined, name: undefined, functions: 0, visible: true };
}
