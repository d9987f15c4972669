import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same shop in many languages, written for these tests: the shapes that outlines have to know, in one file each. */
export function shopText(language: string): string {
  return readFileSync(join(import.meta.dirname, 'shops', `shop.${language}`), 'utf8');
}
