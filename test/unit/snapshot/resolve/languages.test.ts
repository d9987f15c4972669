import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidatePaths } from '../../../../src/snapshot/imports.ts';
import { createImportResolver } from '../../../../src/snapshot/resolve/index.ts';
import { filesOf, type Project, resolverOf } from './support.ts';

/** `importer module name,name` → the files it means, likeliest first. */
type Imports = Readonly<Record<string, readonly string[]>>;

interface Case {
  readonly what: string;
  readonly language: string;
  readonly files?: Project;
  readonly paths: string;
  readonly imports: Imports;
}

const PYTHON: readonly Case[] = [
  {
    what: 'modules, packages and what is relative to them',
    language: 'py',
    paths: 'app/__init__.py app/a.py app/sub/__init__.py app/sub/b.py app/sub/c.py main.py setup.py',
    imports: {
      'main.py app.a *': ['app/a.py'],
      'main.py app *': ['app/__init__.py'],
      'main.py app.sub.none *': [],
      'app/sub/b.py app.a f': ['app/a.py'],
      'app/sub/b.py ..a f': ['app/a.py'],
      'app/sub/b.py .c f': ['app/sub/c.py'],
      'app/sub/b.py . c': ['app/sub/c.py'],
      'app/sub/b.py . c,name': ['app/sub/__init__.py', 'app/sub/c.py'],
      'app/sub/__init__.py . b,c': ['app/sub/b.py', 'app/sub/c.py'],
      'app/a.py .sub *': ['app/sub/__init__.py'],
      'app/a.py ...none x': [],
      'app/a.py os path': [],
      'main.py json *': [],
    },
  },
  {
    what: 'names of a package that are submodules, also without __init__.py',
    language: 'py',
    paths: 'ns/one/x.py ns/two/__init__.py ns/two/y.py ns/two/z.pyi main.py',
    imports: {
      'main.py ns.one x': ['ns/one/x.py'],
      'main.py ns.two y,z': ['ns/two/y.py', 'ns/two/z.pyi'],
      'main.py ns.two T,y': ['ns/two/__init__.py', 'ns/two/y.py'],
      'main.py ns one': [],
      'main.py ns.one.x f': ['ns/one/x.py'],
    },
  },
  {
    what: 'src layouts, found and declared',
    language: 'py',
    files: {
      'a/pyproject.toml': '[tool.setuptools.packages.find]\nwhere = ["code"]\n',
      'b/pyproject.toml': '[tool.poetry]\npackages = [{ include = "poem", from = "verse" }]\n',
      'c/setup.cfg': '[options]\npackage_dir =\n    = stuff\n[options.packages.find]\nwhere = stuff\n',
    },
    paths: 'src/pkg/__init__.py src/pkg/m.py tests/test_m.py a/code/one.py b/verse/poem/__init__.py c/stuff/s.py',
    imports: {
      'tests/test_m.py pkg.m f': ['src/pkg/m.py'],
      'tests/test_m.py pkg m': ['src/pkg/m.py'],
      'src/pkg/m.py pkg *': ['src/pkg/__init__.py'],
      'tests/test_m.py one *': ['a/code/one.py'],
      'tests/test_m.py poem *': ['b/verse/poem/__init__.py'],
      'tests/test_m.py s *': ['c/stuff/s.py'],
    },
  },
  {
    what: 'a script sees what lies beside it, a module of a package does not',
    language: 'py',
    paths: 'tools/run.py tools/helpers.py pkg/__init__.py pkg/json.py pkg/m.py',
    imports: {
      'tools/run.py helpers f': ['tools/helpers.py'],
      'pkg/m.py json *': [],
      'pkg/m.py .json *': ['pkg/json.py'],
    },
  },
  {
    what: 'code comes before its stub, and a stub serves where there is no code',
    language: 'py',
    paths: 'm.py m.pyi only.pyi typings/ext/__init__.pyi a.py',
    imports: { 'a.py m f': ['m.py'], 'a.py only f': ['only.pyi'], 'a.py ext f': ['typings/ext/__init__.pyi'] },
  },
  {
    what: 'a longer name is found wherever its path ends so',
    language: 'py',
    paths: 'services/api/code/shop/cart/items.py services/web/main.py',
    imports: { 'services/web/main.py shop.cart.items f': ['services/api/code/shop/cart/items.py'] },
  },
];

const GO: readonly Case[] = [
  {
    what: 'packages of the module, without tests',
    language: 'go',
    files: { 'go.mod': 'module example.com/app // ours\n\ngo 1.24\n' },
    paths: 'main.go store/a.go store/b.go store/a_test.go store/deep/x.go store/readme.md',
    imports: {
      'main.go example.com/app/store *': ['store/a.go', 'store/b.go'],
      'store/a.go example.com/app *': ['main.go'],
      'main.go example.com/app/none *': [],
      'main.go example.com/application/store *': [],
      'main.go fmt *': [],
      'main.go ./store/deep *': ['store/deep/x.go'],
    },
  },
  {
    what: 'several modules, the longest path first, and replaced ones',
    language: 'go',
    files: {
      'go.work': 'go 1.24\nuse (\n\t./a\n\t./b\n)\n',
      'a/go.mod':
        'module example.com/m\n\nreplace (\n\texample.com/forked v1.2.3 => ../fork\n\tother.org/x => /elsewhere\n)\n',
      'b/go.mod': 'module "example.com/m/b"\nreplace example.com/single => ./single\n',
      'fork/go.mod': 'module example.com/original\n',
    },
    paths: 'a/a.go a/b/wrong.go b/b.go b/in/x.go fork/f.go b/single/s.go',
    imports: {
      'a/a.go example.com/m/b *': ['b/b.go'],
      'a/a.go example.com/m/b/in *': ['b/in/x.go'],
      'a/a.go example.com/forked *': ['fork/f.go'],
      'b/b.go example.com/forked *': [],
      'b/b.go example.com/single *': ['b/single/s.go'],
      'b/b.go example.com/original *': ['fork/f.go'],
    },
  },
];

const JAVA: readonly Case[] = [
  {
    what: 'classes by package under any source root, the nearest first',
    language: 'java',
    paths:
      'core/src/main/java/org/acme/Cart.java core/src/test/java/org/acme/CartTest.java shop/src/main/java/org/acme/Cart.java core/src/main/kotlin/org/acme/Item.kt shop/src/main/java/org/acme/ui/Page.java',
    imports: {
      'shop/src/main/java/org/acme/ui/Page.java org.acme Cart': [
        'shop/src/main/java/org/acme/Cart.java',
        'core/src/main/java/org/acme/Cart.java',
      ],
      'core/src/test/java/org/acme/CartTest.java org.acme Item': ['core/src/main/kotlin/org/acme/Item.kt'],
      'shop/src/main/java/org/acme/ui/Page.java org.acme.Cart total': [
        'shop/src/main/java/org/acme/Cart.java',
        'core/src/main/java/org/acme/Cart.java',
      ],
      'core/src/test/java/org/acme/CartTest.java org.acme.ui.Page.Inner Deep': [
        'shop/src/main/java/org/acme/ui/Page.java',
      ],
      'core/src/test/java/org/acme/CartTest.java org.acme.ui *': ['shop/src/main/java/org/acme/ui/Page.java'],
      'core/src/test/java/org/acme/CartTest.java java.util List': [],
      'core/src/test/java/org/acme/CartTest.java me.Cart x': [],
    },
  },
];

const CSHARP: readonly Case[] = [
  {
    what: 'namespaces are folders beside the project file of the longest name',
    language: 'cs',
    paths:
      'src/Shop/Shop.csproj src/Shop/Cart.cs src/Shop/Core/Item.cs src/Shop.Core/Shop.Core.csproj src/Shop.Core/Model/Price.cs src/Shop.Core/Model/Tax.cs test/ShopTests.cs',
    imports: {
      'test/ShopTests.cs Shop *': ['src/Shop/Cart.cs'],
      'test/ShopTests.cs Shop.Core *': ['src/Shop/Core/Item.cs'],
      'test/ShopTests.cs Shop.Core.Model *': ['src/Shop.Core/Model/Price.cs', 'src/Shop.Core/Model/Tax.cs'],
      'test/ShopTests.cs Shop.Core.Model.Tax *': ['src/Shop.Core/Model/Tax.cs'],
      'src/Shop/Core/Item.cs System.Text *': [],
      'src/Shop/Core/Item.cs Shop.Nothing *': [],
    },
  },
];

const RUST: readonly Case[] = [
  {
    what: 'paths from the crate, from the module itself and from the one above',
    language: 'rs',
    files: { 'Cargo.toml': '[package]\nname = "my-app"\n' },
    paths:
      'src/lib.rs src/main.rs src/a.rs src/a/b.rs src/a/c/mod.rs src/a/c/d.rs src/type.rs tests/it.rs tests/common/mod.rs src/bin/tool.rs src/a/inline/leaf.rs',
    imports: {
      'src/lib.rs self::a *': ['src/a.rs'],
      'src/a.rs self::b *': ['src/a/b.rs'],
      'src/a.rs self::inline::leaf *': ['src/a/inline/leaf.rs'],
      'src/a/b.rs self *': [],
      'src/a/b.rs crate::a X': ['src/a.rs'],
      'src/a/b.rs crate a': ['src/a.rs'],
      'src/a/b.rs crate::a b2,c': ['src/a/c/mod.rs', 'src/a.rs'],
      'src/a/b.rs crate Top': ['src/lib.rs'],
      'src/a/b.rs crate::a::Enum Variant': ['src/a.rs'],
      'src/a/b.rs super X': ['src/a.rs'],
      'src/a/b.rs super c': ['src/a/c/mod.rs'],
      'src/a/c/d.rs super::super::b Y': ['src/a/b.rs'],
      'src/a/c/d.rs super Z': ['src/a/c/mod.rs'],
      'src/a/c/mod.rs d Z': ['src/a/c/d.rs'],
      'src/a.rs crate::r#type T': ['src/type.rs'],
      'tests/it.rs my_app::a X': ['src/a.rs'],
      'tests/it.rs self::common *': ['tests/common/mod.rs'],
      'src/bin/tool.rs my_app Top': ['src/lib.rs'],
      'src/a.rs std::fmt Display': [],
      'src/a.rs none X': [],
    },
  },
  {
    what: 'other crates of the workspace, by the name they are used by',
    language: 'rs',
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      'crates/one/Cargo.toml': '[package]\nname = "one"\n[lib]\nname = "uno"\npath = "source/root.rs"\n',
      'crates/two/Cargo.toml': '[package]\nname = "two-b"\n',
    },
    paths: 'crates/one/source/root.rs crates/one/source/x.rs crates/two/src/lib.rs',
    imports: {
      'crates/two/src/lib.rs uno::x X': ['crates/one/source/x.rs'],
      'crates/two/src/lib.rs uno Y': ['crates/one/source/root.rs'],
      'crates/one/source/root.rs two_b Z': ['crates/two/src/lib.rs'],
    },
  },
];

const OTHERS: readonly Case[] = [
  {
    what: 'headers in quotes and in angle brackets',
    language: 'cpp',
    paths: 'lib/x.cpp lib/x.h lib/include/acme/api.h other/x.h lib/include/flat.h lib/deep/string.h a/util/b.hpp',
    imports: {
      'lib/x.cpp ./x.h *': ['lib/x.h'],
      'lib/x.cpp ./deep/string.h *': ['lib/deep/string.h'],
      'lib/x.cpp ./acme/api.h *': ['lib/include/acme/api.h'],
      'lib/x.cpp acme/api.h *': ['lib/include/acme/api.h'],
      'lib/x.cpp flat.h *': ['lib/include/flat.h'],
      'lib/x.cpp string.h *': [],
      'lib/x.cpp ./string.h *': ['lib/deep/string.h'],
      'other/x.h ./../a/util/b.hpp *': ['a/util/b.hpp'],
      'lib/x.cpp vector *': [],
    },
  },
  {
    what: 'files that are required',
    language: 'rb',
    paths: 'lib/acme.rb lib/acme/cart.rb spec/spec_helper.rb spec/cart_spec.rb gems/pay/lib/pay/card.rb bin/run.rb',
    imports: {
      'lib/acme.rb ./acme/cart *': ['lib/acme/cart.rb'],
      'spec/cart_spec.rb acme/cart *': ['lib/acme/cart.rb'],
      'spec/cart_spec.rb spec_helper *': ['spec/spec_helper.rb'],
      'bin/run.rb pay/card *': ['gems/pay/lib/pay/card.rb'],
      'bin/run.rb json *': [],
    },
  },
  {
    what: 'classes by the rules of composer.json, and literal requires',
    language: 'php',
    files: {
      'composer.json': JSON.stringify({
        autoload: { 'psr-4': { 'Acme\\': 'src/', 'Acme\\Pay\\': ['pay', 'pay2'] }, 'psr-0': { Old_: 'legacy' } },
        'autoload-dev': { 'psr-4': { 'Acme\\Tests\\': 'tests/' } },
      }),
    },
    paths: 'src/Cart.php src/Sub/Item.php pay2/Card.php tests/CartTest.php index.php inc/top.php other/Free/Thing.php',
    imports: {
      'index.php Acme Cart,None': ['src/Cart.php'],
      'index.php Acme\\Sub Item': ['src/Sub/Item.php'],
      'index.php Acme\\Pay Card': ['pay2/Card.php'],
      'index.php Acme\\Tests CartTest': ['tests/CartTest.php'],
      'index.php Vendor\\Free Thing': ['other/Free/Thing.php'],
      'index.php Psr\\Log LoggerInterface': [],
      'index.php ./inc/top.php *': ['inc/top.php'],
      'src/Cart.php ./inc/top.php *': ['inc/top.php'],
    },
  },
  {
    what: 'a path of any other language',
    language: 'sh',
    paths: 'bin/run.sh lib/log.sh',
    imports: {
      'bin/run.sh ../lib/log.sh *': ['lib/log.sh'],
      'bin/run.sh lib/log.sh *': [],
      'bin/run.sh ../lib/none.sh *': [],
    },
  },
];

function resolved(key: string): { importer: string; module: string; names: readonly string[] } {
  const [importer = '', module = '', names = ''] = key.split(' ');
  return { importer, module, names: names.split(',') };
}

describe.for([
  ['Python', PYTHON],
  ['Go', GO],
  ['Java', JAVA],
  ['C#', CSHARP],
  ['Rust', RUST],
  ['other languages', OTHERS],
] as const)('imports of %s', ([, cases]) => {
  test.for(cases)('$what', async ({ language, files = {}, paths, imports }) => {
    const resolver = await resolverOf(files, ...paths.split(' '));
    const found = Object.keys(imports).map((key) => {
      const { importer, ...site } = resolved(key);
      return [key, resolver.resolve(importer, language, site)];
    });
    expect(Object.fromEntries(found)).toEqual(imports);
    expect(resolver.degraded).toEqual([]);
  });
});

/** All projects above in one, which is what people have. */
const MIXED: Project = Object.fromEntries(
  [PYTHON, GO, JAVA, CSHARP, RUST, OTHERS]
    .flat()
    .flatMap(({ language, files = {}, paths }, number) => [
      ...Object.entries(files).map(([path, text]) => [`${language}${number}/${path}`, text]),
      ...paths.split(' ').map((path) => [`${language}${number}/${path}`, '']),
    ]),
);

describe('a resolver of any project', () => {
  const importer = fc.constantFrom(...Object.keys(MIXED));
  const language = fc.constantFrom('ts', 'py', 'go', 'java', 'rs', 'c', 'cpp', 'rb', 'php', 'sh', 'toString');
  const piece = fc.oneof(
    fc.constantFrom(
      '.',
      '..',
      '/',
      '::',
      '\\',
      '*',
      '@',
      '#',
      'src',
      'a',
      'app',
      'crate',
      'super',
      'self',
      'Acme',
      '%',
      '\n',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom(...Object.keys(MIXED)),
  );
  const module = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

  test('answers any text, and only with files that are there', async () => {
    const files = filesOf(MIXED);
    const resolver = await createImportResolver(files);
    fc.assert(
      fc.property(importer, language, module, fc.array(module, { maxLength: 3 }), (from, lang, text, names) => {
        const found = resolver.resolve(from, lang, { module: text, names });
        expect(found.every((path) => files.has(path) && path !== from)).toBe(true);
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: 500 },
    );
  });

  test('sees files that come and misses those that go', async () => {
    const files = new Map([
      ['a.ts', ''],
      ['b.js', ''],
      ['m.py', ''],
      ['tsconfig.json', '{"compilerOptions":{"baseUrl":"."}}'],
    ]);
    const resolver = await createImportResolver({
      has: (path) => files.has(path),
      paths: () => files.keys(),
      read: async (path) => files.get(path) ?? null,
    });
    const found = () => [
      ...resolver.resolve('a.ts', 'ts', { module: './b', names: [] }),
      ...resolver.resolve('a.ts', 'ts', { module: 'c', names: [] }),
      ...resolver.resolve('m.py', 'py', { module: 'p.n', names: ['x'] }),
    ];
    expect(found()).toEqual(['b.js']);
    for (const path of ['b.ts', 'c.ts', 'p/n.py']) {
      files.set(path, '');
      resolver.added(path);
    }
    expect(found()).toEqual(['b.ts', 'c.ts', 'p/n.py']);
    files.delete('b.ts');
    files.delete('c.ts');
    expect(found()).toEqual(['b.js', 'p/n.py']);
  });

  test('finds the same files as those that are tried on the disk, in the same order', () => {
    const all = fc.uniqueArray(
      fc
        .constantFrom('', '/index', '.d', '.x')
        .chain((end) =>
          fc
            .constantFrom('.ts', '.tsx', '.mts', '.d.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.json', '')
            .map((extension) => `src/a${end}${extension}`),
        ),
    );
    const written = fc.constantFrom(
      './a',
      './a.js',
      './a.mjs',
      './a.jsx',
      './a.d',
      './a/',
      '../src/a',
      './a.x',
      './a.ts',
      '.',
      './a?raw',
    );
    return fc.assert(
      fc.asyncProperty(all, written, async (paths, text) => {
        const files = filesOf(Object.fromEntries(paths.map((path) => [path, ''])));
        const resolver = await createImportResolver(files);
        const tried = candidatePaths('src/m.ts', text).find((path) => files.has(path));
        expect(resolver.resolve('src/m.ts', 'ts', { module: text, names: [] })[0]).toBe(tried);
      }),
      { numRuns: 300 },
    );
  });

  test('takes any text as configuration', async () => {
    const names = ['tsconfig.json', 'package.json', 'pnpm-workspace.yaml', 'pyproject.toml', 'setup.cfg', 'go.mod'];
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, module, async (lines, text) => {
        const project = [...names, 'Cargo.toml', 'composer.json'].map((name, at) => [name, lines[at] ?? '']);
        const resolver = await createImportResolver(filesOf(Object.fromEntries(project)));
        expect(resolver.resolve('a.ts', 'ts', { module: text, names: [] })).toEqual(expect.any(Array));
      }),
      { numRuns: 100 },
    );
  });
});
