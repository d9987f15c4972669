import stripJsonComments from 'strip-json-comments';

/** A table of a JSON, TOML or YAML document. */
export type Table = Readonly<Record<string, unknown>>;

/** Whether a value is a table: an object that is no array. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The table under a chain of keys, or an empty one where there is none. */
export function tableAt(value: unknown, ...keys: readonly string[]): Table {
  let at: unknown = value;
  for (const key of keys) at = isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return isTable(at) ? at : {};
}

/** The text under a key, or undefined when it is no text. */
export function textAt(table: Table, key: string): string | undefined {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a list, without what is none; a single text is a list of one. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** A JSON document that is a table, or null when it is malformed or no table. */
export function parseJson(text: string): Table | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isTable(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The same with comments and trailing commas, as TypeScript's and many tools' configuration files have them. */
export function parseJsonWithComments(text: string): Table | null {
  return parseJson(stripJsonComments(text.replace(/^\uFEFF/, ''), { trailingCommas: true }));
}

/** A TOML document, or null when it is malformed. The reader is loaded at first use. */
export async function parseToml(text: string): Promise<Table | null> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof TomlError) return null;
    throw error;
  }
}

/** A YAML document that is a table, or null when it is malformed or no table. The reader is loaded at first use. */
export async function parseYaml(text: string): Promise<Table | null> {
  // A file of comments alone is an empty one; the reader knows no empty documents.
  if (!/^[^\S\n]*[^\s#]/m.test(text)) return {};
  const { load } = await import('js-yaml');
  try {
    const value: unknown = load(text.replace(/^\uFEFF/, ''));
    return isTable(value) ? value : null;
  } catch (error) {
    // The reader lets other errors through for texts that it cannot make a value of.
    if (error instanceof Error) return null;
    throw error;
  }
}
