import { describe, expect, it } from 'vitest';
import { asksForHistory, recallNeed, termsOf } from '../../../src/inject/recall-policy.ts';
import type { InjectRequest } from '../../../src/inject/types.ts';
import { daysAgo, FACTS, item, outline, state, tag, view } from '../../support/inject/project-view.ts';

const PAST = [
  'Why do we round totals down?',
  'What was the reason for the second cache?',
  'Who decided to drop XML?',
  'When did we move to ESM?',
  'How come this is not async?',
  'What is the rationale behind the retry limit?',
  'Was this ever tested on Windows?',
  'Which trade-offs were considered here?',
  'What did we agree on for error codes?',
  'Why Postgres instead of SQLite?',
  'Is this how it was originally meant to work?',
  'What changed here last week?',
  'Do you remember the rule for discounts?',
  'What did this do before the refactoring?',
  'Did we try another parser earlier?',
  'Explain the history of this module',
  '为什么这里要取整？',
  '当初为何选择了 SQLite？',
  '这个字段以前叫什么？',
  '谁决定去掉缓存的？',
  '上次我们讨论的重试次数是多少？',
  '这样写的原因是什么',
  '还记得折扣的规则吗',
  '什么时候改成异步的？',
  '为啥不用 Redis',
  '最初的设计是怎样的？',
];

const PRESENT = [
  'What does this function do?',
  'How do I call this from the checkout page?',
  'Explain this code',
  'Write a unit test for total()',
  'Is there a bug in this loop?',
  'Which types does it accept?',
  'Sort the items before returning them',
  'Rename discount to rebate',
  'What is the type of the second parameter?',
  'Make it async',
  'Can this return null?',
  'How can I speed this up?',
  'Does it handle an empty cart?',
  'Where is Money defined?',
  '这个函数做什么？',
  '解释一下这段代码',
  '怎么调用这个接口？',
  '给 total 写一个单元测试',
  '这里有没有错误？',
  '第二个参数是什么类型？',
  '能返回空值吗？',
  '把它改成异步',
];

const explain = (question: string | undefined, selection = 'return sum;'): InjectRequest => ({
  type: 'explain',
  file: 'src/cart.ts',
  language: 'typescript',
  selection,
  ...(question === undefined ? {} : { question }),
});
const chat = (question: string): InjectRequest => ({ type: 'chat', question, session: 's', turn: 't' });
const completion = (file = 'src/cart.ts'): InjectRequest => ({
  type: 'completion',
  file,
  language: 'typescript',
  line: 1,
  prefix: '',
  suffix: '',
});

describe('recall policy', () => {
  it.each(PAST)('the past or a reason: %s', (question) => {
    expect(asksForHistory(question)).toBe(true);
  });

  it.each(PRESENT)('the code as it is: %s', (question) => {
    expect(asksForHistory(question)).toBe(false);
  });

  it('obeys the setting', () => {
    expect(recallNeed(explain('Why?'), view(), 'never')).toEqual({ needed: false, why: 'the setting says never' });
    expect(recallNeed(completion(), view(), 'always').needed).toBe(true);
  });

  it('asks when the question is about the past', () => {
    expect(recallNeed(explain('Why is it rounded?'), view(), 'auto')).toEqual({
      needed: true,
      why: 'the question is about the past or a reason',
    });
    expect(recallNeed(chat('为什么这样'), view(), 'auto').needed).toBe(true);
  });

  it.each([
    ['a symbol', 'How is emptyCart tested?'],
    ['a part of a symbol', 'how does an empty cart look'],
    ['an imported symbol', 'what can money be'],
    ['a dependency', 'which zod schema fits'],
    ['a path', 'what lives in cart.ts'],
    ['a tag', 'everything about authentication'],
    ['a tag in Chinese', '登录怎么实现'],
    ['a commit', 'show the round totals'],
  ])('does not ask when the snapshot has %s', (_name, question) => {
    const marks = { tags: { 'src/login.ts': { topic: tag('authentication'), 模块: tag('登录') } } };
    const known = view({
      state: state(
        { ...marks, focus: { 'src/x.ts': { by: 'user', at: daysAgo(0) } } },
        view().state.workspaces?.[view().workspace],
      ),
    });
    expect(recallNeed(chat(question), known, 'auto').needed).toBe(false);
  });

  it('asks when nothing in the snapshot matches', () => {
    expect(recallNeed(chat('Does the warehouse ship pallets abroad?'), view(), 'auto')).toEqual({
      needed: true,
      why: 'nothing in the snapshot matches',
    });
    expect(recallNeed(chat('仓库能发货到国外吗'), view(), 'auto').needed).toBe(true);
    expect(recallNeed(explain('Is it safe?', 'warehouse.ship(pallets)'), view(), 'auto').needed).toBe(true);
    expect(recallNeed(explain('Is it safe?', 'cart.total(0)'), view(), 'auto').needed).toBe(false);
  });

  it('does not ask for a question without words of its own', () => {
    expect(recallNeed(explain('What does this do?', 'x'), view(), 'auto').needed).toBe(false);
    expect(recallNeed(explain(undefined, ''), view(), 'auto').needed).toBe(false);
  });

  it('asks for a completion only in a file that the snapshot does not know', () => {
    const unknown = { ...view(), facts: null };
    expect(recallNeed(completion(), view(), 'auto').needed).toBe(false);
    expect(recallNeed(completion(), unknown, 'auto').needed).toBe(true);
    const inState = view({
      facts: null,
      state: state({}, { outlines: { 'src/cart.ts': outline([item('A', [1, 2])]) } }),
    });
    expect(recallNeed(completion(), inState, 'auto').needed).toBe(false);
    expect(recallNeed(completion('/elsewhere/a.ts'), unknown, 'auto').needed).toBe(false);
  });

  it('takes names apart and leaves common words out', () => {
    expect([...termsOf('What does parseHTTPRequest_v2 return?')]).toEqual([
      'parsehttprequest_v2',
      'parse',
      'httprequest',
    ]);
    expect([...termsOf('取整规则')]).toEqual(['取整', '整规', '规则']);
    expect(termsOf(`${'a b '.repeat(5000)}needle`).has('needle')).toBe(false);
    expect(FACTS.outline).not.toBeNull();
  });
});
