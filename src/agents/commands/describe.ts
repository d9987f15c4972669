import type { Delta, Op } from '../../delta/index.ts';
import { plural, short, shortened, visible } from './text.ts';

/** What an operation did, in a few words for people. */
export function describeOp(op: Op): string {
  switch (op.op) {
    case 'add_tag':
      return `${op.source === 'auto' ? 'noted' : 'tagged'} ${name(op.target)} ${name(op.key)}: ${name(op.value)}`;
    case 'remove_tag':
      return `removed tag ${name(op.key)} of ${name(op.target)}`;
    case 'add_focus':
      return `marked ${name(op.target)}`;
    case 'remove_focus':
      return `unmarked ${name(op.target)}`;
    case 'update_git':
      return gitChange(op);
    case 'update_active':
      return op.path === null ? 'no file open' : `opened ${name(op.path)}`;
    case 'update_outline':
      return `outline of ${name(op.path)} (${plural(op.outline.items.length, 'item')})`;
    case 'remove_outline':
      return `outline of ${name(op.path)} dropped`;
    case 'update_files':
      return `${plural(op.count, 'file')}${op.changed.length === 0 ? '' : `, ${op.changed.length} changed`}`;
    case 'update_dependencies':
      return `${plural(Object.keys(op.direct).length, 'dependency', 'dependencies')} in ${name(op.manifest)}`;
    case 'remove_dependencies':
      return `dependencies of ${name(op.manifest)} dropped`;
    case 'note_commit':
      return `commit ${short(op.commit)}${op.kinds.length === 0 ? '' : ` (${op.kinds.map(name).join(', ')})`}`;
    case 'rewrite_history':
      return `history rewritten (${plural(op.pairs.length, 'commit')})`;
    case 'rename_path':
      return `renamed ${name(op.from)} to ${name(op.to)}`;
    case 'add_alias':
      return `also known as ${name(op.id)}`;
    case 'remove_workspace':
      return `workspace ${short(op.workspace)} forgotten`;
    case 'request':
      return `${name(op.by)} asks for ${name(op.action)} of ${name(op.target)}`;
    case 'resolve_request':
      return `request ${short(op.id)} done: ${name(op.result)}`;
    case 'checkpoint':
      return `checkpoint at ${op.seq}`;
  }
}

function gitChange(op: Extract<Op, { op: 'update_git' }>): string {
  const { head, lastCommit } = op;
  const where =
    head === undefined || head === null
      ? ''
      : ` ${head.branch === undefined ? head.kind : name(head.branch)}${head.commit === undefined ? '' : `@${short(head.commit)}`}`;
  const subject =
    lastCommit === undefined || lastCommit === null ? '' : ` "${shortened(name(lastCommit.subject), 50)}"`;
  return `git${where}${subject}`;
}

function name(text: string): string {
  return shortened(visible(text), 80);
}

/** At most this many operations are told one by one. */
const TOLD = 4;

/** A delta as one row of a table: seq, time, author, what it did. */
export function deltaRow(delta: Delta): readonly [seq: string, time: string, agent: string, what: string] {
  const told = delta.ops.slice(0, TOLD).map(describeOp);
  const more = delta.ops.length - told.length;
  return [
    `#${delta.seq}`,
    `${delta.at.slice(0, 10)} ${delta.at.slice(11, 19)}`,
    name(delta.author.agent),
    `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  ];
}
