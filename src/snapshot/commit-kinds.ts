/** What Conventional Commits and common habit write before a colon; any other word there is prose. */
const TYPES: ReadonlySet<string> = new Set(
  'feat fix docs style refactor perf test build ci chore revert security deps wip release hotfix'.split(' '),
);

/** Other words for those types, in English and Chinese. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    feat: 'feature features 新功能 功能 新增 特性 添加 增加',
    fix: 'bugfix bug fixes 修复 修正 修 缺陷 错误修复',
    docs: 'doc documentation 文档 注释',
    style: '格式 样式 代码格式',
    refactor: 'refactoring refact 重构',
    perf: 'performance 性能 优化 性能优化',
    test: 'tests testing 测试',
    build: '构建 打包',
    ci: '持续集成',
    chore: '杂项 日常 其他',
    revert: '回滚 回退 撤销',
    security: '安全',
    deps: 'dependencies 依赖',
    release: '发布 发版',
    hotfix: '热修复 紧急修复',
  }).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind])),
);

const BRACKETS = /^\s*(?:\[([^\]]{1,40})\]|【([^】]{1,40})】|［([^］]{1,40})］|「([^」]{1,40})」)/u;
const TYPED = /^\s*([\p{L}]{1,20})\s?(?:[(（][^)）]{0,60}[)）])?!?\s?[:：]/u;

/** Tickets such as `[ABC-123]` and `[#7]` stand in brackets too, and say nothing about the kind. */
const KIND = /^[\p{L}][\p{L}\p{N}_]{0,31}$/u;

function normalise(word: string): string {
  const kind = word
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/gu, '_');
  return SYNONYMS.get(kind) ?? kind;
}

/**
 * Kinds of a commit from its subject (protocol §3): `[refactor] ...`, `fix(scope): ...`, both, several brackets, also
 * with full-width brackets and in Chinese. In order, each once; at most four.
 */
export function commitKinds(subject: string): readonly string[] {
  const kinds: string[] = [];
  let rest = subject;
  for (let match = BRACKETS.exec(rest); match !== null; match = BRACKETS.exec(rest)) {
    const words = (match.slice(1).find((group) => group !== undefined) ?? '').split(/[,，、/|]/u);
    for (const kind of words.map(normalise)) if (KIND.test(kind) && !/^[a-z]+_\d+$/.test(kind)) kinds.push(kind);
    rest = rest.slice(match[0].length);
  }
  const typed = TYPED.exec(rest)?.[1];
  if (typed !== undefined && TYPES.has(normalise(typed))) kinds.push(normalise(typed));
  return [...new Set(kinds)].slice(0, 4);
}
