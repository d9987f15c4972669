import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('sh');

test('shell: functions of both forms, exports', async () => {
  const read = await createGrammarParser().read('shop.sh', SHOP, 'sh');
  expect(rowsOf(read)).toEqual([
    '9-9 variable PATH* | export PATH',
    '9-9 variable EDITOR* | EDITOR',
    '10-10 constant VERSION | readonly VERSION',
    '11-11 constant BOTH* | declare -rx BOTH',
    '15-18 function say* | say()',
    '20-22 function loud* | function loud',
    '24-24 function _hidden | function _hidden ()',
    '27-27 function maybe* | maybe()',
  ]);
  expect(importRowsOf(read)).toEqual(['2 ./lib.sh *', '3 ./other.sh *', '4 ./third.sh *', '5 ./fourth.sh *']);
  expect(read.clean).toBe(true);
});
