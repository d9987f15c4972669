import { type ImportSite, importSites } from '../../src/snapshot/imports.ts';
import { outlineOf } from '../../src/snapshot/outline.ts';
import type { Parser } from '../../src/snapshot/parser.ts';
import { importSitesOfTree } from '../../src/snapshot/tree-imports.ts';
import { outlineOfTree } from '../../src/snapshot/tree-outline.ts';
import type { Outline } from '../../src/snapshot/types.ts';

/** What is read of a text. */
export interface ReadText {
  readonly outline: Outline;
  readonly imports: readonly ImportSite[];
}

/** One of the two implementations of outlines and imports, which have to agree. */
export interface OutlineForm {
  readonly name: string;
  /** @throws what the parser throws */
  read(path: string, text: string): Promise<ReadText>;
}

/** Both implementations, over one parser. The language is always `ts`. */
export function outlineForms(parser: Parser): readonly [OutlineForm, OutlineForm] {
  return [
    {
      name: 'typescript-estree',
      async read(path, text) {
        const tree = await parser.tree(path, text);
        if (tree.problem !== null) throw tree.problem;
        const parsed = await parser.convert(path, tree);
        return { outline: outlineOf(parsed, 'ts'), imports: importSites(parsed) };
      },
    },
    {
      name: "TypeScript's own tree",
      async read(path, text) {
        const tree = await parser.tree(path, text);
        if (tree.problem !== null) throw tree.problem;
        return { outline: outlineOfTree(tree, 'ts'), imports: importSitesOfTree(tree) };
      },
    },
  ];
}

/** What each of them makes of a text; for a text that does not parse, what it says of that. */
export function readByBoth(
  forms: readonly [OutlineForm, OutlineForm],
  path: string,
  text: string,
): Promise<[ReadText | string, ReadText | string]> {
  const read = (form: OutlineForm) => form.read(path, text).catch((error: unknown) => String(error));
  return Promise.all([read(forms[0]), read(forms[1])]);
}
