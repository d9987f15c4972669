<?php
declare(strict_types=1);
namespace App\Models;

use A\B\C;
use A\B\{D, E as F};
use function X\y;
use Plain;
require_once __DIR__ . '/boot.php';
require 'helpers.php';

const LIMIT = 5, KEY = "hunter2";
define('OLD', 1);

#[Entity(table: "s3cret")]
final class User extends Model implements Named, Priced
{
    use Timestamps, Soft { a as b; }

    const A = 1;
    private const B = "x";
    public static ?int $count = 0;
    protected readonly string $name, $nick;

    public function __construct(private readonly Db $db, protected int $n = 5, string $plain = "x") {}

    #[Route("/x")]
    public static function find(int|string $id = "d", ?Foo &...$rest): ?static
    {
        function inner() {}
        return fn() => 1;
    }

    abstract protected function close(): void;
    function open() {}
    public string $full { get => $this->name; }
}

interface Named extends Base { const Z = 1; public function name(): string; }
trait Timestamps { private $at; function touch() {} }
enum Suit: string implements Named {
    case Hearts = 'H';
    case Spades = 'S';
    public function label(): string { return "x"; }
}
function helper(array $a = [], $b = 'q'): void {}
if (!function_exists('compat')) {
    function compat() {}
}
