/** Names of languages that the ids do not say (see `languageOf`). */
const NAMES: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  tsx: 'TypeScript (JSX)',
  js: 'JavaScript',
  jsx: 'JavaScript (JSX)',
  json: 'JSON',
  py: 'Python',
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  kt: 'Kotlin',
  c: 'C',
  cpp: 'C++',
  cs: 'C#',
  swift: 'Swift',
  rb: 'Ruby',
  php: 'PHP',
  sh: 'Shell',
  ps1: 'PowerShell',
  sql: 'SQL',
  vue: 'Vue',
  svelte: 'Svelte',
  html: 'HTML',
  css: 'CSS',
  scss: 'SCSS',
  xml: 'XML',
  yaml: 'YAML',
  toml: 'TOML',
  md: 'Markdown',
  text: 'Text',
};

/** A language as people call it; its id where that is its name. */
export function languageName(id: string): string {
  return Object.hasOwn(NAMES, id) ? (NAMES[id] ?? id) : id;
}
