import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('ps1');

test('PowerShell: functions with their parameters, classes, enums', async () => {
  const read = await createGrammarParser().read('shop.ps1', SHOP, 'ps1');
  expect(rowsOf(read)).toEqual([
    '7-17 function Get-Thing* | function Get-Thing([string]$Name, $Rest)',
    '19-19 function Add* | function Add($a, [int]$b = …)',
    '20-20 function Even* | filter Even',
    '22-28 class Order* | class Order : Base',
    '23-23 property Order.Name* | [string]$Name',
    '24-24 property Order.count | hidden [int]$count',
    '25-25 property Order.limit* | static [int]$limit',
    '26-26 constructor Order.Order* | Order([int]$n)',
    '27-27 method Order.Sell* | [void] Sell([string]$what)',
    '30-33 enum Color* | enum Color { Red, Green }',
  ]);
  expect(importRowsOf(read)).toEqual(['1 ./Foo.psm1 *', '3 Bar *', '4 ./lib.ps1 *', '5 ./more.ps1 *']);
  expect(read.clean).toBe(true);
});
