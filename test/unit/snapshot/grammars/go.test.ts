import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('go');

test('Go: methods of their type, generics, embedded types, grouped constants and types', async () => {
  const read = await createGrammarParser().read('shop.go', SHOP, 'go');
  expect(rowsOf(read)).toEqual([
    '13-13 constant Limit* | Limit',
    '13-13 constant hidden | hidden',
    '16-16 constant Red* | Red Color',
    '17-17 constant Green* | Green',
    '21-21 variable ErrGone* | var ErrGone',
    '24-24 variable Table* | Table map[string]func(int) error',
    '25-25 variable count | count int',
    '28-28 type Color* | type Color int',
    '32-38 class Order* | Order[T any, K comparable] struct',
    '33-33 property Order.Base* | Base',
    '34-34 property Order.Other* | *m.Other[T]',
    '35-35 property Order.Name* | Name',
    '35-35 property Order.nick | nick string',
    '36-36 property Order.Done* | Done func(a int) error',
    '37-37 property Order.Inner* | Inner struct',
    '37-37 property Order.Inner.Deep* | Deep int',
    '40-40 type Map* | Map = map[string]Order[int, string]',
    '43-48 interface Store* | type Store interface',
    '44-44 property Store.Reader* | io.Reader',
    '45-45 method Store.Get* | Get(ctx context.Context, id string) (*Order[int, string], error)',
    '47-47 method Store.private | private()',
    '50-53 function New* | func New[T any](opts ...func(*Order[T, int])) (order *Order[T, int], err error)',
    '55-60 method Order.Sell* | func (o *Order[T, K]) Sell(ctx context.Context, n int) error',
    '62-62 method Color.String* | func (Color) String() string',
    '64-64 method Color.constructor | func (c Color) constructor()',
  ]);
  expect(importRowsOf(read)).toEqual(['5 context *', '6 example.com/m/p *', '7 embed *', '10 strings *']);
  expect(read.clean).toBe(true);
});
