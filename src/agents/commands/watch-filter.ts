import { ProjectAnchorError } from '../../base/index.ts';
import type { Delta, Op } from '../../delta/index.ts';
import { normaliseTag } from '../../snapshot/index.ts';

/** Whether a watch is interested in a delta. */
export type DeltaFilter = (delta: Delta) => boolean;

/**
 * The filter of `--on KEY=VALUE`: `change=refactor` matches a delta that notes a commit of that kind, any other key a
 * delta that sets this tag to this value (both are normalised like tags). Several filters match when one of them does;
 * none match everything.
 * @throws ProjectAnchorError `usage` for text that is not KEY=VALUE, `invalid` for a key or value that no tag can have.
 */
export function deltaFilter(conditions: readonly string[], dictionary: Readonly<Record<string, string>>): DeltaFilter {
  if (conditions.length === 0) return () => true;
  const filters = conditions.map((condition) => opFilter(condition, dictionary));
  return (delta) => delta.ops.some((op) => filters.some((matches) => matches(op)));
}

function opFilter(condition: string, dictionary: Readonly<Record<string, string>>): (op: Op) => boolean {
  const split = condition.indexOf('=');
  if (split < 1 || split === condition.length - 1) {
    throw new ProjectAnchorError('usage', `"${condition}" is not KEY=VALUE.`, 'Write it like change=refactor.');
  }
  const key = condition.slice(0, split).trim();
  const value = condition.slice(split + 1).trim();
  if (key === 'change') {
    const kind = value.toLowerCase();
    return (op) => op.op === 'note_commit' && op.kinds.some((each) => each.toLowerCase() === kind);
  }
  const tag = normaliseTag(key, value, dictionary);
  return (op) => op.op === 'add_tag' && op.key === tag.key && op.value === tag.value;
}
