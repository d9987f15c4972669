import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { rowReader } from '../../../support/grammar-rows.ts';

const { rows, imports } = rowReader(createGrammarParser(), 'py');

test.each<[string, string, string[]]>([
  [
    'functions: async, annotations, default values, nested ones but not theirs',
    'async def load(path: str, *, mode="r", retries: int = 3, **kw) -> dict[str, int]:\n    def inner(x):\n        def deeper(): ...\n        secret = "hunter2"\n        return x\n    class Local:\n        def m(self): ...\n    return inner\ndef _hidden(): pass\nasync def gen(*args: "Node"): yield 1',
    [
      '1-8 function load* | async def load(path: str, *, mode=…, retries: int = …, **kw) -> dict[str, int]',
      '2-5 function load.inner* | def inner(x)',
      '6-7 class load.Local* | class Local',
      '7-7 method load.Local.m* | def m(self)',
      '9-9 function _hidden | def _hidden()',
      '10-10 function gen* | async def gen(*args: "Node")',
    ],
  ],
  [
    'a dataclass, with its decorators in its lines',
    '@register\n@dataclass(frozen=True, key="s3cret")\nclass Order(Base[T], metaclass=Meta, tag="s3cret"):\n    """An order."""\n    number: int\n    state: Literal["open", "done"] = "open"\n    lines: list[Line] = field(default_factory=list)\n    total = 0\n\n    def __init__(self, number: int = 1) -> None:\n        self.number = number\n\n    def __eq__(self, other: object) -> bool:\n        return True\n\n    @staticmethod\n    def of(\n        text: str,\n        strict: bool = False,  # why\n    ) -> "Order":\n        ...\n',
    [
      '1-21 class Order* | class Order(Base[T], metaclass=Meta, tag=…)',
      '5-5 property Order.number* | number: int',
      '6-6 property Order.state* | state: Literal["open", "done"]',
      '7-7 property Order.lines* | lines: list[Line]',
      '8-8 property Order.total* | total',
      '10-11 constructor Order.__init__* | def __init__(self, number: int = …) -> None',
      '13-14 method Order.__eq__* | def __eq__(self, other: object) -> bool',
      '16-21 method Order.of* | def of(text: str, strict: bool = …) -> "Order"',
    ],
  ],
  [
    'properties and what sets them, overloads',
    'class A:\n    @property\n    def x(self) -> int: return 1\n    @x.setter\n    def x(self, value: int) -> None: ...\n    @functools.cached_property\n    def y(self): ...\n    @overload\n    def f(self, a: int) -> int: ...\n    @overload\n    def f(self, a: str) -> str: ...\n    def f(self, a): return a\n    def _p(self): ...',
    [
      '1-13 class A* | class A',
      '2-3 getter A.x* | def x(self) -> int',
      '4-5 setter A.x* | def x(self, value: int) -> None',
      '6-7 getter A.y* | def y(self)',
      '8-9 method A.f* | def f(self, a: int) -> int',
      '10-11 method A.f* | def f(self, a: str) -> str',
      '12-12 method A.f* | def f(self, a)',
      '13-13 method A._p | def _p(self)',
    ],
  ],
  [
    'values of a module, types, and definitions under a condition',
    'LIMIT: Final = 5\nname = other = "hunter2"\n_hidden = 1\n__version__ = "1"\na, (b, C), d = 1, (2, 3), "x"\nx.y = 1\nAlias: TypeAlias = dict[str, int]\ntype Pair[T] = tuple[T, T]\nif sys.platform == "win32":\n    def where(): ...\nelse:\n    def where(): ...\ntry:\n    import fast\nexcept ImportError:\n    fast = None\n',
    [
      '1-1 constant LIMIT* | LIMIT: Final',
      '2-2 variable name* | name',
      '2-2 variable other* | other',
      '5-5 variable a* | a',
      '5-5 variable d* | d',
      '7-7 type Alias* | Alias: TypeAlias',
      '8-8 type Pair* | type Pair[T] = tuple[T, T]',
      '10-10 function where* | def where()',
      '12-12 function where* | def where()',
      '16-16 variable fast* | fast',
    ],
  ],
  [
    '__all__ says what is exported, wherever it is added to',
    '__all__ = ["A", "_b"]\n__all__ += ("C",)\n__all__.append(x)\nclass A: pass\ndef _b(): pass\nC = 1\nD = 2\ndef e(): pass',
    ['4-4 class A* | class A', '5-5 function _b* | def _b()', '6-6 constant C* | C', '8-8 function e | def e()'],
  ],
  [
    'names that objects have in JavaScript',
    'def constructor(): ...\ndef __proto__(): ...\nclass toString:\n    hasOwnProperty = 1',
    [
      '1-1 function constructor* | def constructor()',
      '2-2 function __proto__ | def __proto__()',
      '3-4 class toString* | class toString',
      '4-4 property toString.hasOwnProperty* | hasOwnProperty',
    ],
  ],
])('%s', async (_name, text, expected) => {
  expect(await rows(text)).toEqual(expected);
});

test('imports, also where they are lazy', async () => {
  const text =
    'from __future__ import annotations\nfrom .a import b, c as d\nimport a.b as e, f\nfrom x.y import *\nfrom .. import z\nfrom . import (\n  p,\n  q,\n)\ndef f():\n    import json\n';
  expect(await imports(text)).toEqual(['2 .a b,c', '3 a.b *', '3 f *', '4 x.y *', '5 .. z', '6 . p,q', '11 json *']);
});
