import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('rb');

test('Ruby: modules, attributes, singleton methods, visibility', async () => {
  const read = await createGrammarParser().read('shop.rb', SHOP, 'rb');
  expect(rowsOf(read)).toEqual([
    '6-69 namespace Shop* | module Shop',
    '7-7 constant Shop.VERSION* | VERSION',
    '9-58 class Shop.Order* | class Order < Base::Thing',
    '11-11 property Shop.Order.name* | attr_accessor :name, :nick',
    '11-11 property Shop.Order.nick* | attr_accessor :name, :nick',
    '12-12 property Shop.Order.total* | attr_reader :total',
    '13-13 constant Shop.Order.LIMIT* | LIMIT',
    '16-16 method Shop.Order.build* | def build(a)',
    '20-20 method Shop.Order.secret | def secret',
    '23-25 constructor Shop.Order.initialize* | def initialize(a, b = …, *c, k:, o: …, **r, &blk)',
    '27-29 method Shop.Order.find | def self.find(id)',
    '31-31 method Shop.Order.==* | def ==(other)',
    '33-35 method Shop.Order.name=* | def name=(value)',
    '37-37 method Shop.Order.ok?* | def ok?',
    '39-39 method Shop.Order.dynamic* | define_method(:dynamic)',
    '40-40 method Shop.Order.fine?* | alias_method :fine?, :ok?',
    '41-41 method Shop.Order.good?* | alias good? ok?',
    '45-47 method Shop.Order.hidden | def hidden',
    '51-51 method Shop.Order.shown* | def shown',
    '53-53 method Shop.Order.guarded | protected def guarded',
    '55-55 method Shop.Order.late | def late',
    '60-62 class Shop.Point* | Point = Struct.new(:x, :y)',
    '61-61 method Shop.Point.length* | def length',
    '64-64 class Shop.A.B.Deep* | class A::B::Deep',
    '64-64 method Shop.A.B.Deep.m* | def m',
    '68-68 method Shop.helper* | def helper(x)',
    '71-71 function top* | def top',
    '72-72 variable $global* | $global',
  ]);
  expect(importRowsOf(read)).toEqual(['1 json *', '2 ./shop/item *', '3 ../up *', '4 shop/late Late']);
  expect(read.clean).toBe(true);
});
