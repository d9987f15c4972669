/** Libraries whose packages do not tell their group. */
const BY_PACKAGE: readonly (readonly [start: string, names: readonly string[]])[] = [
  ['com.google.common', ['com.google.guava:guava']],
  ['org.junit.jupiter', ['org.junit.jupiter:junit-jupiter', 'org.junit.jupiter:junit-jupiter-api']],
  ['org.junit', ['junit:junit', 'org.junit.jupiter:junit-jupiter']],
  ['lombok', ['org.projectlombok:lombok']],
  ['javax.servlet', ['javax.servlet:javax.servlet-api', 'javax.servlet:servlet-api']],
  ['okhttp3', ['com.squareup.okhttp3:okhttp']],
  ['retrofit2', ['com.squareup.retrofit2:retrofit']],
  ['io.reactivex', ['io.reactivex.rxjava3:rxjava', 'io.reactivex.rxjava2:rxjava']],
  ['reactor.core', ['io.projectreactor:reactor-core']],
  ['redis.clients.jedis', ['redis.clients:jedis']],
  ['kotlinx.coroutines', ['org.jetbrains.kotlinx:kotlinx-coroutines-core']],
];
/** Words that say nothing about which library it is. */
const COMMON: ReadonlySet<string> = new Set([
  'api',
  'core',
  'java',
  'lib',
  'client',
  'impl',
  'org',
  'com',
  'io',
  'all',
]);

/**
 * The `group:artifact` that a package belongs to, where it can be told: the group, or all but the last part of it, begins
 * the package, and where several artifacts would do, one has more of its words in the package than the others.
 */
export function artifactOf(module: string, names: readonly string[]): string | undefined {
  for (const [start, known] of BY_PACKAGE) {
    const found =
      module === start || module.startsWith(`${start}.`) ? known.find((name) => names.includes(name)) : undefined;
    if (found !== undefined) return found;
  }
  const scored = names
    .map((name) => ({ name, score: scoreOf(module, name) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const [best, second] = scored;
  return best !== undefined && best.score !== second?.score ? best.name : undefined;
}

function scoreOf(module: string, name: string): number {
  const [group = '', artifact = ''] = name.split(':');
  const parts = module.toLowerCase().split('.');
  const own = group.toLowerCase().split('.');
  let shared = 0;
  while (shared < own.length && own[shared] === parts[shared]) shared++;
  const whole = shared === own.length;
  const words = artifact
    .toLowerCase()
    .split(/[-_.]/)
    .filter((word) => !COMMON.has(word) && !/^\d/.test(word));
  const rest = parts.slice(Math.min(shared, own.length - 1));
  const told = words.filter((word) =>
    rest.some((part) => part === word || part.startsWith(word) || word.startsWith(part)),
  );
  if (whole) return shared * 10 + told.length;
  // Two parts of a domain alone are too many companies' libraries.
  return shared >= 2 && told.length > 0 ? shared * 5 + told.length : 0;
}
