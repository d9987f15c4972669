import { isOutlined, languageOf } from '../languages.ts';
import type { Outline } from '../types.ts';
import type { OutlineOfText } from './commit-symbols.ts';

/** Reads texts in their language; `TextReaders` is one. */
export interface OutlineReader {
  read(path: string, text: string, language: string, form: 'pass'): Promise<{ readonly outline: Outline | null }>;
}

/** Outlines of texts that are on no disk: old versions of files. */
export function textOutline(readers: OutlineReader): OutlineOfText {
  return async (path, text) => {
    const language = languageOf(path);
    if (language === undefined || !isOutlined(language)) return null;
    return (await readers.read(path, text, language, 'pass')).outline;
  };
}
