import { describe, expect, it } from 'vitest';
import { ProjectAnchorError } from '../../../src/base/index.ts';
import { complete } from '../../../src/inject/complete.ts';
import { completionRequest, explainRequest } from '../../../src/inject/prompts.ts';
import type { CodeCompletionRequest, ModelClient, ModelRequest, ModelUsage } from '../../../src/inject/types.ts';

const request: CodeCompletionRequest = {
  type: 'completion',
  file: 'src/cart.ts',
  language: 'typescript',
  line: 2,
  prefix: 'const total =\n  ',
  suffix: ';\n',
  context: 'Project context: …',
};

describe('prompts', () => {
  it('puts rules first, context second and the cursor last', () => {
    const { messages, temperature } = completionRequest(request);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(messages[1]?.content).toBe('Project context: …');
    expect(messages[2]?.content).toBe(
      'File src/cart.ts (typescript), the hole is {{HOLE}}\n\nconst total =\n  {{HOLE}};\n',
    );
    expect(temperature).toBe(0.01);
  });

  it('changes nothing before the cursor window while a person types', () => {
    const one = completionRequest(request).messages;
    const two = completionRequest({ ...request, prefix: `${request.prefix}items.` }).messages;
    expect(two.slice(0, 2)).toEqual(one.slice(0, 2));
    expect(two[2]).not.toEqual(one[2]);
  });

  it('needs no context', () => {
    const { context: _, ...bare } = request;
    expect(completionRequest(bare).messages).toHaveLength(2);
    expect(completionRequest({ ...request, context: '' }).messages).toHaveLength(2);
  });

  it('marks the hole with what is not in the file', () => {
    const { messages } = completionRequest({ ...request, prefix: 'a {{HOLE}} b {{HOLE1}} ' });
    expect(messages.at(-1)?.content).toContain('a {{HOLE}} b {{HOLE1}} {{HOLE2}};');
  });

  it('sends whole lines around the cursor, not a whole file of 200 kB', () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join('\n');
    const text = completionRequest({ ...request, prefix: lines, suffix: `\n${lines}` }).messages.at(-1)?.content ?? '';
    expect(text.length).toBeLessThan(17_000);
    expect(text).toMatch(/\n\nline \d+\n/);
    expect(text).toContain('line 19999{{HOLE}}\nline 0\n');
    expect(text).toMatch(/\nline \d+$/);
    const one =
      completionRequest({ ...request, prefix: '😀'.repeat(10_000), suffix: '' }).messages.at(-1)?.content ?? '';
    expect(one.isWellFormed()).toBe(true);
  });

  it('fences a selection with more backticks than it has', () => {
    const selection = 'text ```ts\ncode\n``` ````\n';
    const { messages } = explainRequest({
      type: 'explain',
      file: 'a.md',
      language: 'markdown',
      selection,
      line: 3,
      question: ' Why? ',
    });
    expect(messages.at(-1)?.content).toBe(`a.md, from line 3:\n\n\`\`\`\`\`markdown\n${selection}\`\`\`\`\`\n\nWhy?`);
    const { messages: plain } = explainRequest({ type: 'explain', file: 'a.ts', language: 'ts', selection: 'x' });
    expect(plain.at(-1)?.content).toBe('a.ts:\n\n```ts\nx\n```\n\nExplain this code.');
  });
});

class Model implements ModelClient {
  taken = 0;
  ended = false;
  readonly #pieces: readonly (string | Error)[];
  constructor(pieces: readonly (string | Error)[]) {
    this.#pieces = pieces;
  }
  async *stream(_request: ModelRequest, _signal: AbortSignal): AsyncGenerator<string, ModelUsage, void> {
    try {
      for (const piece of this.#pieces) {
        if (typeof piece !== 'string') throw piece;
        this.taken++;
        yield piece;
      }
      return {};
    } finally {
      this.ended = true;
    }
  }
}

describe('complete', () => {
  const never = new AbortController().signal;

  it('takes the request back as soon as the closing tag is there', async () => {
    const model = new Model(['<COMPLETION>sum', '(items)</COMPL', 'ETION>', ' and more']);
    expect(await complete(model, request, never)).toBe('sum(items)');
    expect(model).toMatchObject({ taken: 3, ended: true });
  });

  it('offers nothing after an abort, for a filter and for an empty answer', async () => {
    expect(await complete(new Model(['a']), request, AbortSignal.abort())).toBeNull();
    expect(await complete(new Model(['a', new ProjectAnchorError('model_filtered', 'x')]), request, never)).toBeNull();
    expect(await complete(new Model([]), request, never)).toBeNull();
  });

  it('passes other errors on', async () => {
    await expect(complete(new Model([new ProjectAnchorError('model_cut', 'x')]), request, never)).rejects.toThrow('x');
  });
});
