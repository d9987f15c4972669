import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ProjectAnchorError } from '../base/index.ts';
import type { Gate } from './gate.ts';
import type { ImportSite } from './imports.ts';
import { isOutlined, languageOf } from './languages.ts';
import { withLastGood } from './last-good.ts';
import { limitOutline } from './outline-limit.ts';
import { degradedCode, type Refusal, SourceReader } from './source-reader.ts';
import { jsonPath } from './targets.ts';
import { type Reading, type ReadingForm, renamed, type TextReaders } from './text-readers.ts';
import type { Outline, OutlineItem } from './types.ts';

/** What is known of one file's text. */
export interface Read {
  /** Null when there is none: another language, a refusal, or text that never parsed. */
  readonly outline: Outline | null;
  readonly imports: readonly ImportSite[];
  /** Degraded codes. */
  readonly degraded: readonly string[];
  /** Why there is no outline, or only a stale one, for people. */
  readonly error: ProjectAnchorError | null;
  /** The parser has to load first: what is here is from before. */
  readonly waiting?: true;
}

interface Good {
  readonly outline: Outline;
  readonly imports: readonly ImportSite[];
  /** Git's id of the text that it was read from, where that is known. */
  readonly blob?: string;
}

/** How a file is read that was not read before. */
export interface Look {
  /** Whether the parser may be loaded for it. */
  readonly load: boolean;
  /** Git's id of the file's text, where git holds it clean. */
  readonly blob?: string | undefined;
}

/** The degraded code of outlines that follow when the parser is here. */
const OUTLINES_LATER = 'outlines_later';

/** Outlines of this many texts and files are kept: what a person has open and what that imports. */
const KEPT = 500;

/**
 * Outlines of one working tree's files, by content. What does not parse gets what a tolerant parser makes of it together
 * with the last good outline of its path, marked stale; text in an editor falls back to the file's, never the other way
 * round, because a log follows the disk.
 * Files are read in passes over many of them and so with the parser's cheaper form; the items are the same in both.
 */
export class Outlines {
  readonly #readers: TextReaders;
  readonly #gate: Gate;
  readonly #signatures: boolean;
  readonly #source: SourceReader;
  readonly #byContent = new LRUCache<string, Reading>({ max: KEPT });
  readonly #onDisk = new LRUCache<string, { readonly stamp: string; readonly read: Read }>({ max: KEPT });
  readonly #goodOnDisk = new LRUCache<string, Good>({ max: KEPT });
  readonly #goodInEditor = new LRUCache<string, Good>({ max: KEPT });

  constructor(toplevel: string, gate: Gate, readers: TextReaders, options: { readonly signatures: boolean }) {
    this.#readers = readers;
    this.#gate = gate;
    this.#signatures = options.signatures;
    this.#source = new SourceReader(toplevel, gate);
  }

  get source(): SourceReader {
    return this.#source;
  }

  /**
   * Gives a path a last good outline, as a stored snapshot has it; what was read here since wins.
   * @param blob git's id of the text, where the snapshot has one
   */
  remember(path: string, outline: Outline, blob?: string): void {
    if (this.#goodOnDisk.has(path)) return;
    const { stale, ...good } = outline;
    const known = stale === true || blob === undefined ? {} : { blob };
    this.#goodOnDisk.set(path, { outline: good, imports: [], ...known });
  }

  /** Of a file on disk. */
  async ofFile(path: string, look: Look = { load: true }): Promise<Read> {
    const located = this.#source.locate(path);
    if (!located.ok) return refused(located, path);
    const language = languageOf(path);
    if (language === undefined || !isOutlined(language)) return nothing();
    const kept = this.#onDisk.get(path);
    if (kept?.stamp === located.stamp) return kept.read;
    if (!look.load && !this.#readers.loaded(language)) return this.#fromBefore(path, look.blob);
    const source = await this.#source.readLocated(path, located);
    if (!source.ok) return refused(source, path);
    const read = await this.#read(path, source.text, 'pass', [this.#goodOnDisk]);
    this.#onDisk.set(path, { stamp: located.stamp, read });
    return read;
  }

  /** Of text in an editor. */
  async ofText(path: string, text: string): Promise<Read> {
    const verdict = this.#gate.file(path, Buffer.byteLength(text), text);
    if (!verdict.ok) {
      const code = verdict.code === 'too_large' || verdict.code === 'minified' ? verdict.code : 'denied';
      return refused({ code, reason: verdict.reason }, path);
    }
    if (!isOutlined(languageOf(path))) return nothing();
    return this.#read(path, text, 'whole', [this.#goodInEditor, this.#goodOnDisk]);
  }

  /**
   * Of one text among many, as a pass over all files reads it: without signatures, and nothing of it is kept here, nor
   * fallen back to.
   */
  async ofPass(path: string, text: string): Promise<Reading> {
    const { outline, imports, problem } = await this.#readers.read(path, text, languageOf(path) ?? '', 'names');
    return {
      outline: outline === null ? null : this.#allowed({ ...outline, items: outline.items.map(withoutSignature) }),
      imports: this.#allowedImports(imports),
      problem,
    };
  }

  /** What was known of a file before the parser is here: still true for the same text, else the last good outline. */
  #fromBefore(path: string, blob: string | undefined): Read {
    const last = this.#goodOnDisk.get(path);
    if (last?.blob !== undefined && last.blob === blob) return { ...last, degraded: [], error: null, waiting: true };
    const outline: Outline | null = last === undefined ? null : { ...last.outline, stale: true };
    return { outline, imports: [], degraded: [OUTLINES_LATER], error: null, waiting: true };
  }

  /** `good` are the last good outlines to fall back to, in order; the first one learns from a success. */
  async #read(path: string, text: string, form: ReadingForm, good: readonly LRUCache<string, Good>[]): Promise<Read> {
    const { outline, imports, problem } = await this.#readingOf(path, text, form);
    if (problem === null && outline !== null) {
      good[0]?.set(path, { outline, imports });
      return { outline, imports, degraded: [], error: null };
    }
    const degraded = [`${problem?.code ?? 'parse_error'}:${jsonPath(path)}`];
    const last = good.map((each) => each.get(path)).find((each) => each !== undefined);
    if (outline !== null) {
      const merged = limitOutline(withLastGood(outline, last?.outline, text));
      return {
        outline: merged,
        imports: imports.length > 0 ? imports : (last?.imports ?? []),
        degraded,
        error: problem,
      };
    }
    if (last === undefined) return { outline: null, imports: [], degraded, error: problem };
    return { outline: { ...last.outline, stale: true }, imports: last.imports, degraded, error: problem };
  }

  async #readingOf(path: string, text: string, form: ReadingForm): Promise<Reading> {
    const language = languageOf(path) ?? '';
    // Extensions of one language may differ in dialect (`.mts` and `.ts`), so the name's end belongs to the key.
    const extension = path.slice(path.lastIndexOf('.'));
    const key = createHash('sha256').update(`${extension}\0${text}`, 'utf8').digest('base64');
    const kept = this.#byContent.get(key);
    if (kept !== undefined) return kept.problem === null ? kept : { ...kept, problem: renamed(kept.problem, path) };
    const { outline, imports, problem } = await this.#readers.read(path, text, language, form);
    const reading = {
      outline: outline === null ? null : this.#allowed(outline),
      imports: this.#allowedImports(imports),
      problem,
    };
    // How deep a text may nest depends on the form that it is read in and on the stack.
    if (!(problem?.cause instanceof RangeError)) this.#byContent.set(key, reading);
    return reading;
  }

  /** Nothing that looks like a credential leaves in an outline. */
  #allowed(outline: Outline): Outline {
    const items = this.#signatures ? outline.items : outline.items.map(withoutSignature);
    const all = items.map(({ name, signature = '' }) => `${name} ${signature}`).join('\n');
    if (this.#gate.text(all).ok) return { ...outline, items };
    const named = items.filter(({ name }) => this.#gate.text(name).ok);
    const hidden = items.length - named.length;
    return {
      ...outline,
      items: named.map((item) => (this.#gate.text(item.signature ?? '').ok ? item : withoutSignature(item))),
      ...(hidden + (outline.more ?? 0) > 0 ? { more: hidden + (outline.more ?? 0) } : {}),
    };
  }

  /** Nor in the address of a module. */
  #allowedImports(imports: readonly ImportSite[]): readonly ImportSite[] {
    const isAllowed = (sites: readonly ImportSite[]) =>
      this.#gate.text(sites.map(({ module }) => module).join('\n')).ok;
    return isAllowed(imports) ? imports : imports.filter((site) => isAllowed([site]));
  }
}

function withoutSignature({ signature: _, ...item }: OutlineItem): OutlineItem {
  return item;
}

function nothing(): Read {
  return { outline: null, imports: [], degraded: [], error: null };
}

/** What to do about a file that has no outline for a reason of its own. */
const REMEDIES: Readonly<Record<Refusal['code'], string>> = {
  denied: 'Name another file, or change .projectanchorignore or "projectAnchor.snapshot.exclude" if one excludes it.',
  missing: 'Give the path of a file in this project.',
  outside: 'Give the path of a file inside the project.',
  unreadable: 'Let your user read it, then try again.',
  too_large: 'Split it to have outlines of its parts.',
  minified: 'Name the source that it is made from.',
  not_utf8: 'Save it as UTF-8, then try again.',
};

function refused(refusal: Refusal, path: string): Read {
  const error = new ProjectAnchorError(refusal.code, refusal.reason, REMEDIES[refusal.code]);
  return { outline: null, imports: [], degraded: [degradedCode(refusal, path)], error };
}
