import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('rs');

test('Rust: impl blocks, traits, macros, modules, attributes', async () => {
  const read = await createGrammarParser().read('shop.rs', SHOP, 'rs');
  expect(rowsOf(read)).toEqual([
    "9-19 class Order* | pub struct Order<'a, T: Clone = u8> where T: Send",
    '15-15 property Order.id* | pub id: u64',
    "16-16 property Order.name | name: &'a str",
    '17-18 property Order.items* | pub(crate) items: Vec<[T; 4]>',
    '21-21 class Point* | pub struct Point(pub f64, f64)',
    '22-22 class Unit | struct Unit',
    '24-28 enum State* | pub enum State { Open, Done, Failed }',
    '30-35 interface Store* | pub trait Store: Send',
    '31-31 constant Store.LIMIT* | const LIMIT: usize',
    '32-32 type Store.Item* | type Item',
    '33-33 method Store.get* | fn get(&self, id: u64) -> Option<Self::Item>',
    '34-34 method Store.put* | async fn put(&mut self)',
    "38-41 method Order.new* | pub const fn new(id: u64, name: &'a str) -> Self",
    '42-42 method Order.hidden | fn hidden(self)',
    "45-48 namespace impl Store for Order<'_, T> | impl<T> Store for Order<'_, T>",
    '46-46 type Order.Item* | type Item = T',
    '47-47 method Order.get* | fn get(&self, id: u64) -> Option<T>',
    '50-53 function order* | macro_rules! order',
    '55-55 constant KEY* | pub const KEY: &str',
    '57-57 variable COUNT* | pub static mut COUNT: u32',
    '58-58 type Result* | pub type Result<T> = std::result::Result<T, Error>',
    '60-63 namespace inner | mod inner',
    '61-61 function inner.helper* | pub(super) fn helper()',
    '65-69 namespace tests | mod tests',
    '67-68 function tests.works | fn works()',
    '71-71 function raw* | pub unsafe extern "C" fn raw(x: *const u8) -> i32',
    '73-73 function strlen* | pub fn strlen(s: *const u8) -> usize',
    '75-75 class Bits | union Bits',
    '75-75 property Bits.f | f: f32',
    '75-75 property Bits.u | u: u32',
  ]);
  expect(importRowsOf(read)).toEqual([
    '2 std::collections HashMap',
    '3 crate a',
    '3 crate::a B,c',
    '3 crate::a::e f,*',
    '4 self::shop Order -> Sold=Order',
    '5 self::shop *',
    '6 serde *',
    '62 self::inner::deeper *',
  ]);
  expect(read.clean).toBe(true);
});

test('what a module in the file calls the one above is the file itself', async () => {
  const text = `use super::a::B;
mod tests {
    use super::*;
    use super::inner::C;
    use super::super::d::E;
    mod deeper { use super::super::F; }
}
`;
  const read = await createGrammarParser().read('src/m.rs', text, 'rs');
  expect(read.imports.map(({ module, names }) => `${module} ${names}`)).toEqual([
    'super::a B',
    'self *',
    'self::inner C',
    'super::d E',
    'self F',
  ]);
});
