import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('cs');

test('C#: file-scoped namespaces, properties, records, partial classes, operators', async () => {
  const read = await createGrammarParser().read('shop.cs', SHOP, 'cs');
  expect(rowsOf(read)).toEqual([
    '6-6 namespace Shop.Core* | namespace Shop.Core',
    '8-36 class Order* | public sealed partial class Order<T> : Base<T>, INamed where T : class, new()',
    '12-12 property Order._n | private readonly int _n',
    '12-12 property Order._m | _m',
    '13-13 constant Order.Key* | public const string Key',
    '14-14 property Order.Changed* | public event EventHandler? Changed',
    '15-15 property Order.Total* | public int Total',
    '16-16 property Order.Full* | public string Full',
    '18-18 constructor Order.Order* | public Order(int n = …)',
    '19-19 method Order.~Order | ~Order()',
    '21-26 method Order.SellAsync* | public async Task<T> SellAsync<K>(this K item, string name = …, params int[] rest) where K : struct',
    '28-28 method Order.Rename | void INamed.Rename()',
    '29-29 method Order.operator +* | public static Order<T> operator +(Order<T> a, int b)',
    '30-30 method Order.operator int* | public static implicit operator int(Order<T> a)',
    '31-31 property Order.this[]* | public int this[int i]',
    '33-33 enum Order.Kind | internal enum Kind : byte { Small, Large }',
    '34-34 class Order.Inner | protected class Inner',
    '34-34 property Order.Inner.q | int q',
    '35-35 type Order.Handler* | public delegate void Handler(object sender, int e)',
    '38-38 class Order* | public partial class Order<T>',
    '39-39 class Person* | public record Person(string Name, int Age = …) : Base',
    '39-39 property Person.Name* | string Name',
    '39-39 property Person.Age* | int Age',
    '40-40 class Point* | public readonly record struct Point(int X)',
    '40-40 property Point.X* | int X',
    '40-40 property Point.Y* | public int Y',
    '41-41 interface INamed* | public interface INamed',
    '41-41 method INamed.Rename* | void Rename()',
    '41-41 property INamed.Name* | string Name',
    '42-42 class Service | internal class Service(IStore store) : Base(…)',
    '43-43 class Size* | public struct Size',
    '43-43 property Size.W* | public int W',
  ]);
  expect(importRowsOf(read)).toEqual(['1 System *', '2 System.Math *', '3 Newtonsoft.Json.Linq *', '4 Shop.Items *']);
  expect(read.clean).toBe(true);
});
