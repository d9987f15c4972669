import type { LanguageRules } from '../language.ts';
import { bash } from './bash.ts';
import { cpp } from './cpp.ts';
import { csharp } from './csharp.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { php } from './php.ts';
import { powershell } from './powershell.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';

/** The rules by language id of `languages.ts`. */
export const LANGUAGES: ReadonlyMap<string, LanguageRules> = new Map([
  ['py', python],
  ['go', go],
  ['rs', rust],
  ['java', java],
  ['c', cpp],
  ['cpp', cpp],
  ['cs', csharp],
  ['rb', ruby],
  ['php', php],
  ['sh', bash],
  ['ps1', powershell],
]);
