import type { LanguageRules } from '../language.ts';
import { cpp } from './cpp.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';

/** The rules by language id of `languages.ts`. */
export const LANGUAGES: ReadonlyMap<string, LanguageRules> = new Map([
  ['py', python],
  ['go', go],
  ['rs', rust],
  ['java', java],
  ['c', cpp],
  ['cpp', cpp],
]);
