// What the history of a repository says about its files: symbols that commits changed, why something is as it is, files
// that change together, and the tags that follow from all of it. It never keeps or gives out a line of a diff, nor who made
// a commit. Exports the questions that the service asks, with the shapes of their answers.
export { type AutoTag, type AutoTagKey, type AutoTagOptions, AutoTagRounds, type AutoTags } from './auto-tags.ts';
export { type IndexCache, memoryCache } from './cache.ts';
export {
  type CommitSymbols,
  type CommitsParts,
  type FileSymbols,
  type OutlineOfText,
  SymbolHistory,
} from './commit-symbols.ts';
export {
  anyComplexity,
  type ComplexityReader,
  complexityOfTree,
  type FunctionComplexity,
  grammarComplexity,
  scriptComplexity,
} from './complexity.ts';
export { findSymbol } from './find-symbol.ts';
export { type HistoricalTree, HistoryQuestions, type QuestionsParts } from './questions.ts';
export { type SymbolChange, symbolChanges } from './symbol-changes.ts';
export { textOutline } from './text-outline.ts';
export { type TogetherFile, TogetherIndex } from './together.ts';
export { type Why, type WhyCommit, whyOf } from './why.ts';
