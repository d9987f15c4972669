/** The script of a component file: the file's text with all else blanked out, so that lines and offsets stay. */
export interface ScriptBlock {
  readonly text: string;
  /** The dialect that it is written in, as a file's extension. */
  readonly extension: '.ts' | '.tsx' | '.js' | '.jsx';
  /** `src="./x.ts"`: where the script is instead, and the offset that says so. */
  readonly source?: { readonly module: string; readonly at: number };
}

/** Languages whose files hold scripts between tags. */
export const COMPONENT_LANGUAGES: ReadonlySet<string> = new Set(['vue', 'svelte']);

const TAG = /<!--[\s\S]*?-->|<script\b((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const CLOSING = /<\/script\s*>/gi;

/**
 * The `<script>` blocks of a Vue or Svelte file, in order. One that is not closed yet goes on to the end of the file, as
 * it does while somebody types; one in a comment, or in another language than the two families, is none.
 */
export function scriptBlocks(text: string): readonly ScriptBlock[] {
  const blocks: ScriptBlock[] = [];
  const tag = new RegExp(TAG);
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const attributes = found[1];
    if (attributes === undefined) continue;
    const start = tag.lastIndex;
    // A tag that closes itself has no text.
    const end = attributes.endsWith('/') ? start : closingAfter(text, start);
    tag.lastIndex = end;
    const extension = extensionOf(attribute(attributes, 'lang') ?? typeOf(attributes));
    if (extension === null) continue;
    const source = attribute(attributes, 'src');
    blocks.push({
      text: blank(text.slice(0, start)) + text.slice(start, end) + blank(text.slice(end)),
      extension,
      ...(source === null || source === '' ? {} : { source: { module: source, at: found.index } }),
    });
  }
  return blocks;
}

function closingAfter(text: string, start: number): number {
  const closing = new RegExp(CLOSING);
  closing.lastIndex = start;
  return closing.exec(text)?.index ?? text.length;
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

function attribute(attributes: string, name: string): string | null {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const found = pattern.exec(attributes);
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? '').trim();
}

/** `type="text/typescript"` and the like; other types, such as templates and JSON, are no script. */
function typeOf(attributes: string): string {
  const type = attribute(attributes, 'type');
  if (type === null || type === '' || type === 'module') return 'js';
  return /^(?:text|application)\/(?:x-)?(typescript|javascript|ecmascript)$/i.exec(type)?.[1] ?? type;
}

function extensionOf(language: string): ScriptBlock['extension'] | null {
  switch (language.toLowerCase()) {
    case 'ts':
    case 'typescript':
      return '.ts';
    case 'tsx':
      return '.tsx';
    case 'jsx':
      return '.jsx';
    case 'js':
    case 'javascript':
    case 'ecmascript':
      return '.js';
    default:
      return null;
  }
}
