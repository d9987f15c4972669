import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { shopText } from '../../../support/shops.ts';

const SHOP = shopText('php');

test('PHP: traits, enums, attributes, promoted properties, hooks', async () => {
  const read = await createGrammarParser().read('shop.php', SHOP, 'php');
  expect(rowsOf(read)).toEqual([
    '3-3 namespace App\\Models* | namespace App\\Models',
    '12-12 constant LIMIT* | const LIMIT',
    '12-12 constant KEY* | KEY',
    "13-13 constant OLD* | define('OLD')",
    '15-37 class User* | final class User extends Model implements Named, Priced',
    '20-20 constant User.A* | const A',
    '21-21 constant User.B | private const B',
    '22-22 property User.count* | public static ?int $count',
    '23-23 property User.name | protected readonly string $name',
    '23-23 property User.nick | $nick',
    '25-25 constructor User.__construct* | public function __construct(private readonly Db $db, protected int $n = …, string $plain = …)',
    '25-25 property User.db | private readonly Db $db',
    '25-25 property User.n | protected int $n',
    '27-32 method User.find* | public static function find(int|string $id = …, ?Foo &...$rest): ?static',
    '34-34 method User.close | abstract protected function close(): void',
    '35-35 method User.open* | function open()',
    '36-36 property User.full* | public string $full',
    '39-39 interface Named* | interface Named extends Base',
    '39-39 constant Named.Z* | const Z',
    '39-39 method Named.name* | public function name(): string',
    '40-40 class Timestamps* | trait Timestamps',
    '40-40 property Timestamps.at | private $at',
    '40-40 method Timestamps.touch* | function touch()',
    '41-45 enum Suit* | enum Suit: string implements Named { Hearts, Spades }',
    '44-44 method Suit.label* | public function label(): string',
    '46-46 function helper* | function helper(array $a = …, $b = …): void',
    '48-48 function compat* | function compat()',
  ]);
  expect(importRowsOf(read)).toEqual([
    '5 A\\B C',
    '6 A\\B D,E',
    '7 X y',
    '8 Plain *',
    '9 ./boot.php *',
    '10 ./helpers.php *',
  ]);
  expect(read.clean).toBe(true);
});
