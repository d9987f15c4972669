import { BUNDLER } from './bundler.ts';
import { CARGO } from './cargo.ts';
import { COMPOSER } from './composer.ts';
import { GO } from './go.ts';
import { GRADLE } from './gradle.ts';
import { MAVEN } from './maven.ts';
import { NPM } from './npm.ts';
import { NUGET } from './nuget.ts';
import { PYTHON } from './python.ts';
import type { Ecosystem } from './types.ts';

export type { Declared, Ecosystem, Locked, Related } from './types.ts';

/** Every way to declare dependencies that is understood. */
export const ECOSYSTEMS: readonly Ecosystem[] = [NPM, PYTHON, GO, CARGO, MAVEN, GRADLE, COMPOSER, BUNDLER, NUGET];

/** The ecosystem of a manifest by the name of the file, or undefined when it is none. */
export function ecosystemOf(name: string): Ecosystem | undefined {
  return ECOSYSTEMS.find((each) => each.isManifest(name));
}
