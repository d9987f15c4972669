/** An element with what is in it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | null>>;
  readonly children: readonly Element[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

interface Node {
  readonly tagName: string;
  readonly attributes: Record<string, string | null>;
  readonly children: readonly (Node | string)[];
}

/**
 * The root element with this name, or null when the text is malformed or has another one. The reader is loaded at first
 * use; it resolves nothing outside of the text.
 */
export async function parseXml(text: string, root: string): Promise<Element | null> {
  const { parse } = await import('txml');
  // An element that never ends would be taken for whole.
  if (!new RegExp(`</(?:[\\w-]+:)?${root}\\s*>\\s*(?:<!--[\\s\\S]*?-->\\s*)*$`).test(text)) return null;
  try {
    const nodes = parse(text.replace(/^\uFEFF/, '')) as readonly (Node | string)[];
    const found = nodes.find((node): node is Node => typeof node !== 'string' && local(node.tagName) === root);
    return found === undefined ? null : elementOf(found);
  } catch (error) {
    // What the reader throws for text that is no XML is a plain Error.
    if (error instanceof Error) return null;
    throw error;
  }
}

function elementOf({ tagName, attributes, children }: Node): Element {
  const inside = children.filter((child): child is Node => typeof child !== 'string' && !child.tagName.startsWith('?'));
  const texts = children.filter((child) => typeof child === 'string');
  return { name: local(tagName), attributes, children: inside.map(elementOf), text: decoded(texts.join('').trim()) };
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** The first element under a chain of names. */
export function elementAt(element: Element | undefined, ...names: readonly string[]): Element | undefined {
  return names.reduce((at, name) => at?.children.find((child) => child.name === name), element);
}

/** All elements of a name anywhere inside. */
export function* elementsNamed(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (child.name === name) yield child;
    yield* elementsNamed(child, name);
  }
}

/** The text of a child, or undefined. */
export function childText(element: Element | undefined, name: string): string | undefined {
  return elementAt(element, name)?.text;
}
