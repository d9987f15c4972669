/** Folders that never leave, at any depth: version control, installed packages, caches and keys. Lower case. */
const FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.jj',
  'node_modules',
  'bower_components',
  'jspm_packages',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.gradle',
  '.terraform',
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
]);

/**
 * Build output, as patterns: at any depth where the name says so, only at the top where deeper down it is a common name
 * of sources too. `.projectanchorignore` may take one back with `!dist/`.
 */
export const BUILD_OUTPUT: readonly string[] = [
  'dist/',
  'coverage/',
  '.nyc_output/',
  '.next/',
  '.nuxt/',
  '.output/',
  '.svelte-kit/',
  '.astro/',
  '.turbo/',
  '.cache/',
  '.parcel-cache/',
  '.vite/',
  '/build/',
  '/out/',
  '/target/',
  '/bin/',
  '/obj/',
];

const BUILD_FOLDERS: ReadonlySet<string> = new Set(BUILD_OUTPUT.map((pattern) => pattern.replaceAll('/', '')));

/** Whether a folder in a path has a name of build output: only then need the patterns be asked. */
export function mayBeBuildOutput(path: string): boolean {
  return path.split('/').some((name) => BUILD_FOLDERS.has(name.toLowerCase()));
}

/** Files that hold secrets (protocol §9, and the well-known homes of keys and passwords). Lower-case names. */
const FILES = anyOf([
  /^\.env/,
  /^id_/,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|tfstate)$/,
  /\.tfstate\.backup$/,
  /^[._](?:npmrc|netrc|yarnrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg|s3cfg|boto|my\.cnf)$/,
  /^\.?credentials?$/,
  /(?:^|[._-])(?:credentials?|secrets?|service[._-]?account)(?:[._-]\w{1,40})?\.(?:json|ya?ml|toml|ini|cfg|conf|xml|csv|txt|properties|enc|db)$/,
  /^client_secret.{0,200}\.json$/,
]);

/** The part of a path that is on the deny list, or null. */
export function deniedPart(path: string): string | null {
  if (!path.includes('/')) return isDeniedName(path.toLowerCase()) ? path : null;
  const segments = path.split('/').filter((segment) => segment !== '');
  const isFolder = path.endsWith('/');
  for (const [depth, segment] of segments.entries()) {
    const name = segment.toLowerCase();
    const isLast = depth === segments.length - 1;
    if (isLast && !isFolder ? isDeniedName(name) : FOLDERS.has(name)) return segment;
  }
  return null;
}

/** @param name of a file, in lower case */
function isDeniedName(name: string): boolean {
  return FOLDERS.has(name) || FILES.test(name);
}

/** One pattern for all: every name of a project is held against it, in its first snapshot. */
function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}
