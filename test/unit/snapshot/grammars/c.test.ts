import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('c');

test('C: macros, typedefs, function pointers, prototypes, conditions', async () => {
  const read = await createGrammarParser().read('shop.c', SHOP, 'c');
  expect(rowsOf(read)).toEqual([
    '7-7 function MAX* | #define MAX(a, b)',
    '8-8 constant VERSION* | #define VERSION',
    '10-10 type id_t* | typedef unsigned long id_t',
    '11-11 type handler* | typedef int (*handler)(void *ctx, int n)',
    '13-17 class point* | struct point',
    '13-17 type point_t* | point_t',
    '13-17 type point_ptr* | *point_ptr',
    '14-14 property point.x* | int x',
    '14-14 property point.y* | *y[3]',
    '15-15 property point.cb* | double (*cb)(int a)',
    '16-16 property point.flag* | unsigned flag : 3',
    '19-21 class anonymous* | struct',
    '20-20 property anonymous.only* | int only',
    '25-25 enum color* | enum color { RED, GREEN }',
    '26-26 enum letters* | enum { A, B }',
    '28-28 constant limit* | extern const int limit',
    '29-29 variable global* | int global',
    '29-29 variable other* | *other',
    '33-33 function proto* | int proto(int a, char *b)',
    '34-34 function signal* | void (*signal(int sig, void (*f)(int)))(int)',
    '36-40 function helper | static int *helper(const char *s)',
    '43-43 function platform* | int platform(void)',
    '45-45 function platform* | int platform(void)',
    '48-53 function gnu_style | static inline int gnu_style (int a, int b)',
    '55-55 class bits* | union bits',
    '55-55 property bits.f* | float f',
    '55-55 property bits.i* | int i',
  ]);
  expect(importRowsOf(read)).toEqual(['3 stdio.h *', '4 ./shop/item.h *', '5 ../up.h *']);
  expect(read.clean).toBe(true);
});
