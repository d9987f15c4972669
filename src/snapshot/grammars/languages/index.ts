import type { LanguageRules } from '../language.ts';
import { python } from './python.ts';

/** The rules by language id of `languages.ts`. */
export const LANGUAGES: ReadonlyMap<string, LanguageRules> = new Map([['py', python]]);
