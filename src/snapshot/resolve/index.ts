import { jsonPath } from '../targets.ts';
import { createCResolver } from './c.ts';
import { createCSharpResolver } from './csharp.ts';
import { createGoResolver } from './go.ts';
import { createJavaResolver } from './java.ts';
import { createPathIndex } from './path-index.ts';
import { nameOf } from './paths.ts';
import { createPhpResolver } from './php.ts';
import { createPythonResolver } from './python.ts';
import { besides } from './relative.ts';
import { createRubyResolver } from './ruby.ts';
import { createRustResolver } from './rust.ts';
import { createScriptResolver } from './scripts.ts';
import type { ImportResolver, Resolve, ResolverFiles, Sources } from './types.ts';

export type { ImportResolver, ResolvableSite, ResolverFiles } from './types.ts';

/** Configuration that says where imports lead. */
const CONFIGS: ReadonlySet<string> = new Set([
  'jsconfig.json',
  'package.json',
  'pnpm-workspace.yaml',
  'pyproject.toml',
  'setup.cfg',
  'go.mod',
  'go.work',
  'Cargo.toml',
  'composer.json',
]);
/** More configuration files than this are test data of a tool. */
const MAX_CONFIGS = 5_000;
/** A module's name that is longer is a file in a string. */
const MAX_MODULE = 1_000;

/** Whether a file says where imports lead: when it changes, the resolver has to be made again. */
export function isResolverConfig(path: string): boolean {
  const name = nameOf(path);
  return CONFIGS.has(name) || /(?:^|[.-])tsconfig(?:[.-].*)?\.json$/.test(name);
}

/**
 * Makes the resolver of a project: configuration is read now, so that every lookup afterwards is of memory alone.
 */
export async function createImportResolver(files: ResolverFiles): Promise<ImportResolver> {
  const degraded = new Set<string>();
  const sources = sourcesOf(files, degraded);
  const resolvers = await resolversOf(sources);
  const otherwise: Resolve = (importer, { module }) => besides(importer, module);
  return {
    degraded: [...degraded].sort(),
    added: (path) => sources.index.add(path),
    resolve(importer, language, site) {
      if (site.module === '' || site.module.length > MAX_MODULE) return [];
      const found = new Set<string>();
      for (const path of (resolvers.get(language) ?? otherwise)(importer, site)) {
        if (path !== importer && files.has(path)) found.add(path);
      }
      return [...found];
    },
  };
}

/** The resolver of each language that has rules of its own. */
async function resolversOf(sources: Sources): Promise<ReadonlyMap<string, Resolve>> {
  const ways: readonly (readonly [languages: string, resolve: Resolve])[] = [
    ['ts tsx js jsx vue svelte astro', await createScriptResolver(sources)],
    ['py', await createPythonResolver(sources)],
    ['go', await createGoResolver(sources)],
    ['java kt scala groovy', createJavaResolver(sources)],
    ['rs', await createRustResolver(sources)],
    ['c cpp m', createCResolver(sources)],
    ['cs', createCSharpResolver(sources)],
    ['rb', createRubyResolver(sources)],
    ['php', await createPhpResolver(sources)],
  ];
  return new Map(ways.flatMap(([languages, resolve]) => languages.split(' ').map((each) => [each, resolve] as const)));
}

function sourcesOf(files: ResolverFiles, degraded: Set<string>): Sources {
  const configs: string[] = [];
  for (const path of files.paths()) {
    if (configs.length < MAX_CONFIGS && isResolverConfig(path)) configs.push(path);
  }
  const texts = new Map<string, Promise<string | null>>();
  return {
    files,
    index: createPathIndex(() => files.paths()),
    configs: configs.sort(),
    text(path) {
      const known = texts.get(path) ?? files.read(path);
      texts.set(path, known);
      return known;
    },
    report: (kind, path) => void degraded.add(`${kind}:${jsonPath(path)}`),
  };
}
