import { hash } from '../base/index.ts';
import type { Focus, FocusMap, TagSlot, Tags, TagValue } from '../snapshot/index.ts';
import { copyDict, type Dict, isEmpty, type MutableDict, own } from './dict.ts';
import { MAX_REQUESTS } from './limits.ts';
import { renamedMarks } from './rename.ts';
import { readingOp } from './schema.ts';
import type { Op, RequestRecord, State, WorkspaceState } from './types.ts';
import { applyToWorkspace, type WorkspaceOp } from './workspace.ts';

/** What an operation needs to know of the delta it came in. */
export interface Change {
  readonly at: string;
  readonly ops: readonly Op[];
}

/** The time of a request that says none and came without a delta. */
const NO_TIME = '1970-01-01T00:00:00.000Z';

/** What an anchor without deltas has. */
export function emptyState(anchor: string): State {
  return { schema: 'projectanchor.state.v1', anchor };
}

/** `stateHash` of protocol §5. */
export function stateHash(state: State): string {
  return hash(state);
}

/**
 * The state after a delta or a list of operations: the whole of what operations mean (protocol §5).
 * Pure: nothing given is changed, and what did not change is shared with the state given.
 * Whether the delta is the next one is for its caller to know.
 * @throws ProjectAnchorError `unsupported_op` or `invalid` for what this version cannot read; nothing is applied then.
 */
export function apply(state: State, change: Change | readonly Op[]): State {
  const builder = new StateBuilder(state);
  builder.apply('ops' in change ? change : { ops: change, at: NO_TIME });
  return builder.build();
}

/**
 * A state while one delta after the other is applied to it: what `apply` does, for many. Each map is copied once, when
 * it is first written, and not for every delta.
 */
export class StateBuilder {
  readonly #given: State;
  readonly #aliases: Set<string>;
  readonly #tags: Lazy<Dict<TagSlot>>;
  readonly #focus: Lazy<Focus>;
  readonly #requests: Lazy<RequestRecord>;
  readonly #workspaces: Lazy<WorkspaceState>;

  /** `state` itself is never changed. */
  constructor(state: State) {
    this.#given = state;
    this.#aliases = new Set(state.aliases);
    this.#tags = new Lazy(state.tags);
    this.#focus = new Lazy(state.focus);
    this.#requests = new Lazy(state.requests);
    this.#workspaces = new Lazy(state.workspaces);
  }

  /** Applies all operations of a change, or none when one cannot be read; throws as the function `apply` does. */
  apply(change: Change): void {
    for (const _ of this.applying(change));
  }

  /** The same in steps of less than a millisecond, so that others can have a turn between them. */
  *applying({ ops, at }: Change): Generator<void> {
    const known: Op[] = [];
    for (const op of ops) {
      known.push(yield* readingOp(op));
      yield;
    }
    for (const op of known) this.#apply(op, at);
  }

  #apply(op: Op, at: string): void {
    switch (op.op) {
      case 'add_tag': {
        const { op: _, target, key, ...value } = op;
        this.#setTag(target, key, value.source === 'auto' ? 'auto' : 'set', value);
        break;
      }
      case 'remove_tag':
        this.#setTag(op.target, op.key, op.auto === true ? 'auto' : 'set', undefined);
        break;
      case 'add_focus': {
        const { op: _, target, ...focus } = op;
        this.#focus.set(target, focus);
        break;
      }
      case 'remove_focus':
        this.#focus.set(op.target, undefined);
        break;
      case 'rename_path':
        this.#copyMarks(op.from, op.to);
        this.#inWorkspace(op);
        break;
      case 'add_alias':
        this.#aliases.add(op.id);
        break;
      case 'remove_workspace':
        this.#workspaces.set(op.workspace, undefined);
        break;
      case 'request':
        this.#request(op.id, { action: op.action, target: op.target, by: op.by, at: op.at ?? at });
        break;
      case 'resolve_request':
        this.#resolve(op.id, op.result);
        break;
      case 'checkpoint':
        break;
      default:
        this.#inWorkspace(op);
    }
  }

  /** The state as it is now. What is applied later does not change it. */
  build(): State {
    const { schema, anchor } = this.#given;
    // UTF-16 order, as canonical JSON sorts keys.
    const aliases =
      this.#aliases.size === (this.#given.aliases?.length ?? 0) ? this.#given.aliases : [...this.#aliases].sort();
    const tags: Tags | undefined = this.#tags.finish();
    const focus: FocusMap | undefined = this.#focus.finish();
    const requests = this.#requests.finish();
    const workspaces = this.#workspaces.finish();
    return {
      schema,
      anchor,
      ...(aliases !== undefined && aliases.length > 0 && { aliases }),
      ...(tags && { tags }),
      ...(focus && { focus }),
      ...(requests && { requests }),
      ...(workspaces && { workspaces }),
    };
  }

  #setTag(target: string, key: string, slot: keyof TagSlot, value: TagValue | undefined): void {
    const tags = copyDict(this.#tags.get(target));
    const { [slot]: _, ...other } = own(tags, key) ?? {};
    const slots: TagSlot = value === undefined ? other : { ...other, [slot]: value };
    if (isEmpty(slots)) delete tags[key];
    else tags[key] = slots;
    this.#tags.set(target, isEmpty(tags) ? undefined : tags);
  }

  /** A mark that the new place has already is left alone. */
  #copyMarks(from: string, to: string): void {
    const marks = renamedMarks(this.#tags.entries(), this.#focus.entries(), from, to);
    for (const [target, tags] of marks.tags) {
      const kept = copyDict(this.#tags.get(target));
      for (const [key, slots] of Object.entries(tags)) kept[key] = { ...slots, ...own(kept, key) };
      this.#tags.set(target, kept);
    }
    for (const [target, focus] of marks.focus) {
      if (this.#focus.get(target) === undefined) this.#focus.set(target, focus);
    }
  }

  /** Ids order requests, for they are what every agent sees alike; those of UUIDv7 grow with time. */
  #request(id: string, record: RequestRecord): void {
    this.#requests.set(id, record);
    const ids = this.#requests.keys();
    if (ids.length <= MAX_REQUESTS) return;
    const [first] = ids.toSorted();
    if (first !== undefined) this.#requests.set(first, undefined);
  }

  #resolve(id: string, result: string): void {
    const request = this.#requests.get(id);
    if (request !== undefined) this.#requests.set(id, { ...request, result });
  }

  #inWorkspace(op: WorkspaceOp): void {
    const next = applyToWorkspace(this.#workspaces.get(op.workspace) ?? {}, op);
    this.#workspaces.set(op.workspace, isEmpty(next) ? undefined : next);
  }
}

/** A map that is copied at its first change. */
class Lazy<T> {
  #given: Dict<T> | undefined;
  #copy: MutableDict<T> | undefined;

  constructor(given: Dict<T> | undefined) {
    this.#given = given;
  }

  get(key: string): T | undefined {
    return own(this.#copy ?? this.#given, key);
  }

  keys(): readonly string[] {
    return Object.keys(this.#copy ?? this.#given ?? {});
  }

  entries(): readonly [string, T][] {
    return Object.entries(this.#copy ?? this.#given ?? {});
  }

  /** `undefined` removes the key. */
  set(key: string, value: T | undefined): void {
    if (value === undefined && this.get(key) === undefined) return;
    this.#copy ??= copyDict(this.#given);
    if (value === undefined) delete this.#copy[key];
    else this.#copy[key] = value;
  }

  /** The map as it is now, or undefined when nothing is left in it; the next change copies it again. */
  finish(): Dict<T> | undefined {
    this.#given = this.#copy ?? this.#given;
    this.#copy = undefined;
    return this.#given === undefined || isEmpty(this.#given) ? undefined : this.#given;
  }
}
