import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('java');

test('Java: records, enums, sealed interfaces, nested and anonymous classes, annotations', async () => {
  const read = await createGrammarParser().read('shop.java', SHOP, 'java');
  expect(rowsOf(read)).toEqual([
    '9-46 class Order* | public sealed class Order<T extends Item> extends Base<T> implements Named, Priced permits Small',
    '11-11 constant Order.LIMIT | private static final int LIMIT',
    '11-11 constant Order.MORE | MORE[]',
    '12-12 constant Order.KEY* | public static final String KEY',
    '13-13 property Order.name | protected String name',
    '13-13 property Order.nick | nick',
    '17-19 constructor Order.Order* | public Order(String name) throws IOException',
    '21-27 method Order.sell* | public <K> List<K> sell(final K item, int... rest) throws Gone',
    '29-29 method Order.close | abstract void close()',
    '31-36 enum Order.Color | enum Color implements Named { RED, GREEN }',
    '33-33 property Order.Color.code | final String code',
    '34-34 constructor Order.Color.Color | Color(String code)',
    '35-35 method Order.Color.code* | public String code()',
    '38-41 class Order.Point* | public record Point(int x, int y) implements Named',
    '38-38 property Order.Point.x* | int x',
    '38-38 property Order.Point.y* | int y',
    '39-39 constructor Order.Point.Point | Point',
    '40-40 method Order.Point.origin | static Point origin()',
    '43-45 class Order.Builder | static class Builder',
    '44-44 class Order.Builder.Deep | class Deep',
    '44-44 property Order.Builder.Deep.toString | int toString',
    '48-53 interface Shape | sealed interface Shape permits Circle',
    '49-49 constant Shape.SIDES* | int SIDES',
    '50-50 method Shape.area* | double area()',
    '51-51 method Shape.label* | default String label()',
    '52-52 method Shape.hidden | private void hidden()',
    '55-57 interface Marker | @interface Marker',
    '56-56 method Marker.value* | String value()',
  ]);
  expect(importRowsOf(read)).toEqual([
    '3 java.util List',
    '4 java.util.concurrent *',
    '5 java.lang.Math max',
    '6 com.shop.Keys *',
  ]);
  expect(read.clean).toBe(true);
});
