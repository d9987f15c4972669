import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BranchCommit, HeadMove } from '../../../src/snapshot/git-port.ts';
import { isCopying, isRewriting, matchCommits, type Replacement } from '../../../src/snapshot/rewrites.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const MINUTE = 60_000;

/** A commit by its name; `given` says what differs from an ordinary one. */
function commit(name: string, given: Partial<BranchCommit> = {}): BranchCommit {
  return {
    commit: name,
    parents: ['base'],
    tree: `tree of ${name}`,
    author: 'Ada',
    authoredAt: NOON,
    subject: name,
    ...given,
  };
}

/** Commits one on the other. */
function line(...commits: readonly BranchCommit[]): readonly BranchCommit[] {
  return commits.map((each, at) => ({ ...each, parents: [commits[at - 1]?.commit ?? 'base'] }));
}

function match(replacement: Partial<Replacement>): readonly string[] {
  const pairs = matchCommits({ gone: [], made: [], moves: [], told: [], seenAt: NOON + MINUTE, ...replacement });
  return pairs.map((pair) => `${pair.old} ${pair.new}`);
}

const amend = (from: string, to: string): HeadMove => ({ from, to, action: `commit (amend): ${to}` });
const step = (what: string, from: string, to: string): HeadMove => ({ from, to, action: `rebase (${what}): ${to}` });

describe('what the hook and the reflog name', () => {
  test('is taken, however often a commit was amended', () => {
    const gone = [commit('a')];
    const made = [commit('c', { authoredAt: NOON + 1000 })];
    expect(match({ gone, made, told: [{ old: 'a', new: 'c' }] })).toEqual(['a c']);
    expect(match({ gone, made, moves: [amend('a', 'b'), amend('b', 'c')] })).toEqual(['a c']);
    expect(match({ gone, made, moves: [amend('b', 'c')], told: [{ old: 'a', new: 'b' }] })).toEqual(['a c']);
    expect(match({ gone, made })).toEqual([]);
  });

  test('counts only for commits that left and came', () => {
    const told = [
      { old: 'x', new: 'c' },
      { old: 'a', new: 'y' },
    ];
    const made = [commit('c', { authoredAt: NOON + 1000 })];
    expect(match({ gone: [commit('a')], made, told })).toEqual([]);
    const circle = [amend('a', 'b'), amend('b', 'a')];
    expect(match({ gone: [commit('a')], made, moves: circle })).toEqual([]);
  });

  test('several olds may have one new', () => {
    const told = ['a', 'b', 'c'].map((old) => ({ old, new: 'n' }));
    expect(match({ gone: line(commit('a'), commit('b'), commit('c')), made: [commit('n')], told })).toEqual([
      'a n',
      'b n',
      'c n',
    ]);
  });
});

test.each([
  ['rebase (pick): one', true, true],
  ['rebase -i (fixup): one', true, true],
  ['pull --rebase git@host:Acme/Shop main (pick): one: more', true, true],
  ['rebase (continue): one', true, true],
  ['rebase (start): checkout main', false, true],
  ['rebase (finish): returning to refs/heads/topic', false, true],
  ['rebase: fast-forward', false, true],
  ['commit (amend): one', false, true],
  ['commit: rebase (pick) explained', false, false],
  ['pull origin main: Fast-forward', false, false],
  ['pull: Merge made by the strategy (pick)', false, false],
  ['checkout: moving from main to topic', false, false],
  ['reset: moving to HEAD~1', false, false],
  ['', false, false],
])('%j in a reflog', (action, copying, rewriting) => {
  const move = { from: 'a', to: 'b', action };
  expect([isCopying(move), isRewriting(move)]).toEqual([copying, rewriting]);
});

describe('without them', () => {
  test('author, time and subject stay through a rebase', () => {
    const gone = line(commit('a'), commit('b'), commit('c'));
    const made = line(
      commit('up'),
      ...gone.map((each) => ({ ...each, commit: `${each.commit}2`, tree: `new ${each.tree}` })),
    );
    expect(match({ gone, made })).toEqual(['a a2', 'b b2', 'c c2']);
    expect(match({ gone, made: made.filter(({ commit: id }) => id !== 'b2') })).toEqual(['a a2', 'c c2']);
    const others = gone.map((each) => ({ ...each, author: 'Bob' }));
    expect(match({ gone: others, made })).toEqual([]);
  });

  test('twins keep their order; where one is missing nobody can say which', () => {
    const twin = (name: string) => commit(name, { subject: 'wip' });
    const gone = line(twin('a'), twin('b'));
    expect(match({ gone, made: line(twin('a2'), twin('b2')) })).toEqual(['a a2', 'b b2']);
    expect(match({ gone, made: line(commit('up'), twin('b2')) })).toEqual([]);
  });

  test('a reworded one is told by author and time, but not from one written anew', () => {
    const gone = [commit('a')];
    const reworded = commit('a2', { subject: 'better' });
    expect(match({ gone, made: [reworded] })).toEqual(['a a2']);
    // The same second as the look at the old one: a script may have made both.
    expect(match({ gone, made: [reworded], seenAt: NOON + 999 })).toEqual([]);
    const anew = { from: 'base', to: 'a2', action: 'commit: better' };
    expect(match({ gone, made: [reworded], moves: [anew] })).toEqual([]);
    expect(match({ gone, made: [reworded], moves: [step('reword', 'base', 'a2')], seenAt: NOON })).toEqual(['a a2']);
    expect(match({ gone, made: [reworded, commit('b2', { subject: 'other' })] })).toEqual([]);
  });

  test('several in a row became one that leads from the same place to the same files', () => {
    const gone = line(commit('a'), commit('b'), commit('c'));
    const squashed = commit('n', { authoredAt: NOON + MINUTE, tree: 'tree of c' });
    expect(match({ gone, made: [squashed] })).toEqual(['a n', 'b n', 'c n']);
    const upTo = commit('n', { authoredAt: NOON + MINUTE, tree: 'tree of b' });
    expect(match({ gone, made: [upTo] })).toEqual(['a n', 'b n']);
    // From elsewhere, the first ones may have been left out there.
    expect(match({ gone, made: [{ ...squashed, parents: ['elsewhere'] }] })).toEqual([]);
    // The same files, but the last commit only.
    const [a, b] = line(commit('a2', { subject: 'a' }), { ...squashed, commit: 'bc' });
    expect(match({ gone, made: [a, b].filter((each) => each !== undefined) })).toEqual(['a a2', 'b bc', 'c bc']);
  });

  test('a merge is no part of a row', () => {
    const gone = line(commit('a'), commit('b'), commit('c')).map((each) =>
      each.commit === 'b' ? { ...each, parents: ['a', 'side'] } : each,
    );
    expect(match({ gone, made: [commit('n', { authoredAt: NOON + MINUTE, tree: 'tree of c' })] })).toEqual([]);
  });

  test('what autosquash melds belongs to the commit it names', () => {
    const gone = line(
      commit('a'),
      commit('b'),
      commit('f', { subject: 'fixup! a' }),
      commit('s', { subject: 'squash! fixup! b' }),
    );
    const made = line(commit('up'), commit('a2', { subject: 'a' }), commit('b2', { subject: 'b' }));
    expect(match({ gone, made })).toEqual(['a a2', 'b b2', 'f a2', 's b2']);
    // The reflog of a rebase that melded nothing says that they were dropped.
    const moves = [step('pick', 'up', 'a2'), step('pick', 'a2', 'b2')];
    expect(match({ gone, made, moves })).toEqual(['a a2', 'b b2']);
  });

  test('as many as the reflog says were melded are missing right behind', () => {
    const gone = line(commit('a'), commit('b'), commit('c'), commit('d'));
    const made = line(commit('up'), commit('abc', { subject: 'a' }), commit('d2', { subject: 'd' }));
    const moves = [
      step('pick', 'up', 'x'),
      step('squash', 'x', 'y'),
      step('fixup', 'y', 'abc'),
      step('pick', 'abc', 'd2'),
    ];
    expect(match({ gone, made, moves })).toEqual(['a abc', 'b abc', 'c abc', 'd d2']);
    // One was melded and one dropped: nobody can say which.
    const fewer = [step('pick', 'up', 'x'), step('fixup', 'x', 'abc'), step('pick', 'abc', 'd2')];
    expect(match({ gone, made, moves: fewer })).toEqual(['a abc', 'd d2']);
    // The last one was moved up and melded, the second one dropped.
    const movedUp = line(commit('a'), commit('b'), commit('d'), commit('e'));
    expect(match({ gone: movedUp, made, moves: fewer })).toEqual(['a abc', 'd d2']);
  });

  test('what is only dropped or only added has no counterpart', () => {
    expect(match({ gone: line(commit('a'), commit('b')) })).toEqual([]);
    expect(match({ made: line(commit('a'), commit('b')) })).toEqual([]);
    const other = commit('z', { authoredAt: NOON + 1000 });
    expect(match({ gone: [commit('a')], made: [other] })).toEqual([]);
  });
});

describe('any rebase', () => {
  type Step = 'pick' | 'reword' | 'drop' | 'fixup';
  interface Old {
    readonly step: Step;
    readonly author: string;
    readonly second: number;
    readonly subject: string;
  }
  interface World extends Replacement {
    /** `old new`, as it was done. */
    readonly truth: ReadonlySet<string>;
    readonly complete: boolean;
  }

  const olds: fc.Arbitrary<Old> = fc.record({
    step: fc.constantFrom<Step>('pick', 'pick', 'reword', 'drop', 'fixup'),
    author: fc.constantFrom('Ada', 'Bob'),
    second: fc.nat({ max: 3 }),
    subject: fc.constantFrom('wip', 'fix', 'feature'),
  });

  /** Does what the steps say, as git would, on the same base or another one. */
  function rebased(todo: readonly Old[], moved: boolean, logged: boolean): World {
    const gone: BranchCommit[] = [];
    const made: BranchCommit[] = moved ? [commit('upstream', { author: 'Upstream', tree: 'u' })] : [];
    const moves: HeadMove[] = [];
    const truth = new Set<string>();
    const base = moved ? 'u' : '';
    let [before, now, held, kept] = ['base', moved ? 'upstream' : 'base', '', base];
    const members: string[] = [];
    const settle = (last: BranchCommit | undefined) => {
      if (last !== undefined) for (const old of members.splice(0)) truth.add(`${old} ${last.commit}`);
    };
    todo.forEach(({ step: what, author, second, subject }, at) => {
      held += `+${at}`;
      const old = commit(`o${at}`, {
        parents: [before],
        tree: held,
        author,
        authoredAt: NOON + second * 1000,
        subject,
      });
      gone.push(old);
      before = old.commit;
      const last = members.length > 0 ? made.at(-1) : undefined;
      if (what === 'drop') return;
      kept += `+${at}`;
      const id = `n${at}`;
      if (what === 'fixup' && last !== undefined) {
        made[made.length - 1] = { ...last, commit: id, tree: kept };
        moves.push(step('fixup', now, id));
      } else {
        settle(last);
        const said = what === 'reword' ? `${subject}, reworded` : subject;
        made.push({ ...old, commit: id, parents: [now], tree: kept, subject: said });
        moves.push(step('pick', now, id));
      }
      members.push(old.commit);
      now = id;
    });
    settle(made.at(-1));
    const parents = made.map((each, at) => ({ ...each, parents: [made[at - 1]?.commit ?? 'base'] }));
    // Where nothing changed before them git keeps commits as they are.
    return {
      gone,
      made: parents,
      moves: logged ? moves : [],
      told: [],
      seenAt: NOON + MINUTE,
      truth,
      complete: logged,
    };
  }

  test('never leads to a wrong pair, and to all of them where no two commits look alike', () => {
    const worlds = fc.tuple(fc.array(olds, { minLength: 1, maxLength: 8 }), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(worlds, ([todo, moved, logged]) => {
        const world = rebased(todo, moved, logged);
        const found = matchCommits(world).map((pair) => `${pair.old} ${pair.new}`);
        expect(found.filter((pair) => !world.truth.has(pair))).toEqual([]);
        expect(new Set(found.map((pair) => pair.split(' ')[0])).size).toBe(found.length);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(worlds, ([todo, moved, logged]) => {
        const apart = todo.map((old, at) => ({ ...old, second: at, subject: `${old.subject} ${at}` }));
        const world = rebased(apart, moved, logged);
        const melded = apart.some(({ step: what }) => what === 'fixup');
        const dropped = apart.some(({ step: what }) => what === 'drop');
        const found = new Set(matchCommits(world).map((pair) => `${pair.old} ${pair.new}`));
        // What was melded is known for certain from the same base or the reflog, and where none was dropped.
        if (!melded || (!dropped && (logged || !moved))) expect(found).toEqual(world.truth);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the hook’s own list is given back', () => {
    fc.assert(
      fc.property(fc.array(olds, { minLength: 1, maxLength: 8 }), fc.boolean(), (todo, moved) => {
        const world = rebased(todo, moved, false);
        const told = [...world.truth].map((pair) => {
          const [old = '', now = ''] = pair.split(' ');
          return { old, new: now };
        });
        expect(matchCommits({ ...world, told })).toEqual(told);
      }),
    );
  });
});
