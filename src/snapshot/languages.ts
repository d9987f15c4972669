/**
 * Language ids by file extension, as `FileView.byLanguage` counts them (protocol §3): the short name that people
 * use for the language, which is the extension itself where that is unambiguous.
 */
const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ts: 'ts mts cts',
    tsx: 'tsx',
    js: 'js mjs cjs es6',
    jsx: 'jsx',
    json: 'json jsonc json5 webmanifest',
    py: 'py pyi pyw',
    go: 'go',
    rs: 'rs',
    java: 'java',
    kt: 'kt kts',
    scala: 'scala sc',
    c: 'c h',
    cpp: 'cc cpp cxx c++ hpp hh hxx h++ ipp',
    cs: 'cs csx',
    fs: 'fs fsx fsi',
    vb: 'vb',
    swift: 'swift',
    m: 'm mm',
    rb: 'rb rake gemspec',
    php: 'php phtml',
    pl: 'pl pm',
    lua: 'lua',
    r: 'r',
    jl: 'jl',
    dart: 'dart',
    ex: 'ex exs',
    erl: 'erl hrl',
    hs: 'hs lhs',
    ml: 'ml mli',
    clj: 'clj cljs cljc edn',
    zig: 'zig',
    nim: 'nim',
    sh: 'sh bash zsh ksh',
    ps1: 'ps1 psm1 psd1',
    bat: 'bat cmd',
    sql: 'sql',
    graphql: 'graphql gql',
    proto: 'proto',
    vue: 'vue',
    svelte: 'svelte',
    astro: 'astro',
    html: 'html htm xhtml',
    css: 'css',
    scss: 'scss sass',
    less: 'less',
    xml: 'xml xsd xsl xslt csproj vbproj fsproj props targets',
    yaml: 'yaml yml',
    toml: 'toml',
    ini: 'ini cfg conf properties',
    md: 'md markdown mdx',
    rst: 'rst',
    tex: 'tex',
    ipynb: 'ipynb',
    tf: 'tf tfvars hcl',
    groovy: 'groovy gradle',
    cmake: 'cmake',
    sol: 'sol',
    asm: 'asm s',
    wgsl: 'wgsl',
    glsl: 'glsl vert frag',
  }).flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language])),
);

/** Files whose whole name says what they are. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'docker'],
  ['containerfile', 'docker'],
  ['makefile', 'make'],
  ['gnumakefile', 'make'],
  ['cmakelists.txt', 'cmake'],
  ['gemfile', 'rb'],
  ['rakefile', 'rb'],
  ['jenkinsfile', 'groovy'],
  ['go.mod', 'gomod'],
]);

/** Languages whose outlines TypeScript reads: its own, and the scripts of components. */
const SCRIPTS: ReadonlySet<string> = new Set(['ts', 'tsx', 'js', 'jsx', 'vue', 'svelte']);

/** Languages whose outlines come from a grammar: those of `grammars/`, which is not to be loaded to know them. */
const GRAMMARS: ReadonlySet<string> = new Set('py go rs java c cpp cs rb php sh ps1'.split(' '));

/** Languages whose files get an outline. */
export const OUTLINED_LANGUAGES: ReadonlySet<string> = new Set([...SCRIPTS, ...GRAMMARS]);

/** The language id of a path (`ts`, `py`, ...), or undefined when its name does not tell. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const named = BY_NAME.get(name);
  if (named !== undefined) return named;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : BY_EXTENSION.get(name.slice(dot + 1));
}

/** Whether files of this language get an outline. */
export function isOutlined(language: string | undefined): boolean {
  return language !== undefined && OUTLINED_LANGUAGES.has(language);
}
