import { LRUCache } from 'lru-cache';
import type { Gate } from './gate.ts';
import { type Attributes, originOf, readAttributes } from './generated.ts';
import type { Source, SourceReader } from './source-reader.ts';
import type { Origin } from './types.ts';

/** Origins of so many files are kept, by how they stand on disk. */
const KEPT = 500;
/** `.gitattributes` files that are kept; they are short and few. */
const ATTRIBUTES_KEPT = 200;

interface Kept {
  /** How the file and the attributes above it stood. */
  readonly key: string;
  readonly origin: Origin | null;
}

interface AttributesText {
  readonly stamp: string;
  readonly text: string;
}

/** Where the files of one working tree come from, as their names, their headers and `.gitattributes` say now. */
export class Origins {
  readonly #source: SourceReader;
  readonly #gate: Gate;
  readonly #onDisk = new LRUCache<string, Kept>({ max: KEPT });
  readonly #attributes = new LRUCache<string, AttributesText>({ max: ATTRIBUTES_KEPT });

  constructor(source: SourceReader, gate: Gate) {
    this.#source = source;
    this.#gate = gate;
  }

  /**
   * Whether a file is generated or somebody else's; null when it is neither, or nothing may be said of it.
   * @param text the text in an editor, or null to read the disk
   */
  async of(path: string, text: string | null): Promise<Origin | null> {
    if (!this.#gate.path(path).ok) return null;
    const rules = await this.#attributesAbove(path);
    if (text !== null) return this.#told(originOf(path, text, readAttributes(rules.files)));
    const located = this.#source.locate(path);
    const key = `${located.ok ? located.stamp : located.code} ${rules.key}`;
    const kept = this.#onDisk.get(path);
    if (kept?.key === key) return kept.origin;
    const source = located.ok ? await this.#source.readLocated(path, located) : located;
    const origin = this.#told(ofSource(path, source, readAttributes(rules.files)));
    this.#onDisk.set(path, { key, origin });
    return origin;
  }

  /** The `.gitattributes` files that count for a path: the root's, and those of the folders above it. */
  async #attributesAbove(path: string): Promise<{ readonly key: string; readonly files: [string, string][] }> {
    const files: [string, string][] = [];
    let key = '';
    for (const folder of foldersAbove(path)) {
      const name = `${folder}.gitattributes`;
      const located = this.#source.locate(name);
      if (!located.ok) continue;
      key += ` ${name}:${located.stamp}`;
      let kept = this.#attributes.get(name);
      if (kept?.stamp !== located.stamp) {
        const source = await this.#source.readLocated(name, located);
        kept = { stamp: located.stamp, text: source.ok ? source.text : '' };
        this.#attributes.set(name, kept);
      }
      files.push([name, kept.text]);
    }
    return { key, files };
  }

  /** The reason may quote the file, and a header may hold what must not leave. */
  #told(origin: Origin | null): Origin | null {
    if (origin === null || this.#gate.text(origin.why).ok) return origin;
    return { kind: origin.kind, why: 'its header says so' };
  }
}

function ofSource(path: string, source: Source, attributes: Attributes): Origin | null {
  const origin = originOf(path, source.ok ? source.text : null, attributes);
  if (origin !== null || source.ok || source.code !== 'minified') return origin;
  // The text is not read any further, but that much is known of it.
  return attributes.of(path).generated === false
    ? null
    : { kind: 'generated', why: 'it is minified: its lines are too long' };
}

/** `''` for the root, then each folder with its slash, the deepest last. */
function foldersAbove(path: string): readonly string[] {
  const folders = [''];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at + 1));
  return folders;
}
