import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../src/snapshot/grammars/index.ts';
import { createParser } from '../../../src/snapshot/parser.ts';
import { scriptBlocks } from '../../../src/snapshot/script-blocks.ts';
import { TextReaders } from '../../../src/snapshot/text-readers.ts';

const readers = new TextReaders(createParser(), createGrammarParser());

const VUE = `<!-- <script>const commented = 1;</script> -->
<template>
  <p v-if="a > b">{{ text }}</p>
</template>

<script lang="ts">
import { defineComponent } from 'vue';
export default defineComponent({ name: 'X' });
export interface Props { a: string }
</script>

<script setup lang="ts" generic="T extends '>'">
import Child from './Child.vue';
function press(at: number): void {}
export const label = (x: string) => x;
</script>

<style scoped>
.a { color: red }
</style>
`;

test('the scripts of a Vue file are read together, on the lines where they stand', async () => {
  for (const form of ['whole', 'pass'] as const) {
    for (const text of [VUE, VUE.replaceAll('\n', '\r\n')]) {
      const { outline, imports, problem } = await readers.read('a/X.vue', text, 'vue', form);
      expect(problem).toBe(null);
      expect(outline?.lines).toBe(20);
      expect(outline?.language).toBe('vue');
      expect(
        outline?.items.map(({ kind, name, start, end, exported = false }) => [kind, name, start, end, exported]),
      ).toEqual([
        ['constant', 'default', 8, 8, true],
        ['interface', 'Props', 9, 9, true],
        ['property', 'a', 9, 9, false],
        ['function', 'press', 14, 14, false],
        ['function', 'label', 15, 15, true],
      ]);
      expect(imports).toEqual([
        { module: 'vue', names: ['defineComponent'], line: 7 },
        { module: './Child.vue', names: ['default'], line: 13 },
      ]);
    }
  }
});

test('a Svelte file: what a module gives away, and the properties of a component', async () => {
  const text = `<script context="module">
  export const prerender = true;
</script>
<script>
  import { onMount } from 'svelte';
  export let name;
  $: doubled = count * 2;
  async function load() {}
</script>
<h1 on:click={load}>{name}</h1>
`;
  const { outline, imports } = await readers.read('X.svelte', text, 'svelte', 'pass');
  expect(outline?.items.map(({ kind, name, start }) => `${start} ${kind} ${name}`)).toEqual([
    '2 constant prerender',
    '6 variable name',
    '8 function load',
  ]);
  expect(imports).toEqual([{ module: 'svelte', names: ['onMount'], line: 5 }]);
});

test('a script that is still open goes on to the end, and what is intact in it is there', async () => {
  const text = '<template/>\n<script lang="ts">\nexport function a() {\nexport function b() {}\n';
  const { outline, problem } = await readers.read('X.vue', text, 'vue', 'whole');
  expect(problem).toMatchObject({ code: 'parse_error', message: expect.stringContaining('X.vue does not parse') });
  expect(outline?.items.map(({ name, start, end }) => `${start}-${end} ${name}`)).toEqual(['3-3 a', '4-4 b']);
});

test.each([
  ['<script>let a</script>', ['.js']],
  ['<script lang="tsx">let a</script>', ['.tsx']],
  ["<script lang='ts'>let a</script>", ['.ts']],
  ['<script lang=jsx>let a</script>', ['.jsx']],
  ['<script type="text/typescript">let a</script>', ['.ts']],
  ['<script type="module">let a</script >', ['.js']],
  ['<SCRIPT>let a</SCRIPT>', ['.js']],
  ['<script type="application/json">{}</script><script>1</script>', ['.js']],
  ['<script lang="coffee">a = 1</script>', []],
  ['<script data-x="</script>">1</script>', ['.js']],
  ['no script', []],
])('%s', (text, expected) => {
  const blocks = scriptBlocks(text);
  expect(blocks.map(({ extension }) => extension)).toEqual(expected);
  for (const block of blocks) expect(block.text).toHaveLength(text.length);
});

test('a script that is elsewhere is an import', async () => {
  const { imports } = await readers.read(
    'X.vue',
    '<template/>\n<script src="./x.ts" lang="ts"></script>',
    'vue',
    'pass',
  );
  expect(imports).toEqual([{ module: './x.ts', names: ['*'], line: 2 }]);
});
