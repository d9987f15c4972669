/** An element with what is in it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

/** An element while it is read. */
interface Open extends Element {
  readonly children: Element[];
  text: string;
}

/** Nobody nests deeper by hand. */
const MAX_DEPTH = 200;

/**
 * The root element, or null when the text is malformed or the root has another name. The reader is loaded at first use; it
 * resolves nothing outside of the text.
 */
export async function parseXml(text: string, root: string): Promise<Element | null> {
  const { default: sax } = await import('sax');
  const parser = sax.parser(true, { position: false });
  const top: Open = { name: '', attributes: {}, children: [], text: '' };
  const stack = [top];
  parser.onopentag = ({ name, attributes }) => {
    const element: Open = {
      name: local(name),
      attributes: attributes as Record<string, string>,
      children: [],
      text: '',
    };
    stack.at(-1)?.children.push(element);
    stack.push(element);
    if (stack.length > MAX_DEPTH) throw new Malformed();
  };
  const add = (more: string) => {
    const element = stack.at(-1);
    if (element !== undefined) element.text = `${element.text}${more}`.trim();
  };
  parser.ontext = add;
  parser.oncdata = add;
  parser.onclosetag = () => void stack.pop();
  parser.onerror = () => {
    throw new Malformed();
  };
  try {
    parser.write(text.replace(/^\uFEFF/, '')).close();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
  const [found] = top.children;
  return found?.name === root ? found : null;
}

class Malformed extends Error {}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
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
