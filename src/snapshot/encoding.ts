/** What a file's bytes say, or why that is not known. */
export type Decoded =
  | { readonly ok: true; readonly text: string }
  /** `encoding` is what the file declares, when it declares one that is of no help. */
  | { readonly ok: false; readonly encoding?: string };

/** `# -*- coding: latin-1 -*-` and its kin, which Python, Ruby, Emacs and Vim read in the first two lines. */
const DECLARED = /^[ \t\f]*(?:#|\/\/|--|;|%|\/\*|<!--).*?(?:file)?(?:en)?coding[:=][ \t]*([-\w.]+)/m;
/** `<?xml encoding="…"?>` and `@charset "…"`, at the very beginning. */
const DECLARED_FIRST = /^(?:<\?xml[^>]*?\bencoding=["']([-\w.]+)["']|@charset "([-\w.]+)")/;
/** What stands in the first two lines, in bytes. */
const HEAD = 512;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Text from bytes: UTF-8, UTF-16 with a byte order mark, or the encoding that the text declares in its first two lines.
 * A byte order mark stays in front, as U+FEFF. Nothing is guessed: a wrong guess would be in every outline.
 */
export function decode(bytes: Buffer): Decoded {
  const marked = utf16(bytes);
  if (marked !== null) return marked;
  // Only binary files, and UTF-16 without a mark, have a zero byte.
  if (bytes.includes(0)) return { ok: false };
  const text = decodeAs(UTF8, bytes);
  if (text !== null) return { ok: true, text };
  const encoding = declared(bytes);
  if (encoding === null) return { ok: false };
  const decoder = decoderOf(encoding);
  const read = decoder === null ? null : decodeAs(decoder, bytes);
  return read === null ? { ok: false, encoding } : { ok: true, text: read };
}

function utf16(bytes: Buffer): Decoded | null {
  const [first, second] = bytes;
  const label = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  if (label === null) return null;
  const text = decodeAs(new TextDecoder(label, { fatal: true, ignoreBOM: true }), bytes);
  // Two bytes may look like a mark by chance; text has no zero in it.
  return text === null || text.includes('\0') ? { ok: false } : { ok: true, text };
}

function declared(bytes: Buffer): string | null {
  const lines = bytes
    .subarray(0, HEAD)
    .toString('latin1')
    .split(/\r\n|\r|\n/, 2);
  const head = lines.join('\n');
  const first = DECLARED_FIRST.exec(head);
  return first?.[1] ?? first?.[2] ?? DECLARED.exec(head)?.[1] ?? null;
}

/** Names that editors and languages use beside those of the Encoding Standard. */
const ALSO: ReadonlyMap<string, string> = new Map([
  ['latin-1', 'latin1'],
  ['iso-latin-1', 'latin1'],
  ['cp936', 'gbk'],
  ['cp932', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['ascii-8bit', 'latin1'],
]);

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> | null {
  const name = encoding
    .toLowerCase()
    .replace(/-(?:unix|dos|mac)$/, '')
    .replaceAll('_', '-');
  const label = ALSO.get(name) ?? (name === 'shift-jis' ? 'shift_jis' : name);
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function decodeAs(decoder: Pick<InstanceType<typeof TextDecoder>, 'decode'>, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
