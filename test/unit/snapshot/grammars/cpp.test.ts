import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('cpp');

test('C++: namespaces, templates, operators, definitions outside of their class', async () => {
  const read = await createGrammarParser().read('shop.cpp', SHOP, 'cpp');
  expect(rowsOf(read)).toEqual([
    '4-42 namespace shop.core* | namespace shop::core',
    '8-27 class shop.core.Order* | template <typename T, int N = …> class Order : public Base<T>, private Other',
    '11-11 constructor shop.core.Order.Order* | Order()',
    '12-12 constructor shop.core.Order.Order* | explicit Order(int n = …)',
    '13-13 method shop.core.Order.~Order* | virtual ~Order()',
    '14-14 method shop.core.Order.operator=* | Order &operator=(const Order &)',
    '15-15 method shop.core.Order.operator[]* | T operator[](int i) const',
    '16-16 method shop.core.Order.operator bool* | operator bool() const noexcept',
    '17-17 property shop.core.Order.count* | static int count',
    '18-18 method shop.core.Order.put* | template <class K> void put(K key, const char *name = …)',
    '19-19 method shop.core.Order.close* | virtual void close()',
    '20-20 type shop.core.Order.Item* | using Item = T *',
    '21-21 enum shop.core.Order.Kind* | enum class Kind : int { Small, Large }',
    '25-25 property shop.core.Order.n_ | int n_',
    '26-26 class shop.core.Order.Deep | struct Deep',
    '26-26 property shop.core.Order.Deep.q | int q',
    '29-32 method shop.core.Order.put* | template <typename T, int N> void Order<T, N>::put(int x) noexcept',
    '35-35 function shop.core.secret | int secret()',
    '38-38 function shop.core.twice* | constexpr int twice(int x)',
    '39-39 function shop.core.hidden | static void hidden()',
    '40-40 constant shop.core.limit* | inline constexpr int limit',
    '44-44 property shop.core.Other.total* | int shop::core::Other::total',
    '45-45 constructor shop.Thing.Thing* | shop::Thing::Thing(int x)',
    '46-46 function operator==* | bool operator==(const A &a, const A &b)',
    '47-47 function late* | auto late(int x) -> int',
    '48-48 type Map* | using Map = std::map<int, int>',
    '49-49 type Small* | template <typename T> concept Small',
    '50-50 function c_function* | int c_function(void)',
    '52-52 function another* | void another(void)',
  ]);
  expect(importRowsOf(read)).toEqual(['1 vector *', '2 std *']);
  expect(read.clean).toBe(true);
});
