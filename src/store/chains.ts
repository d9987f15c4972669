import { type Database, integer } from './database.ts';

/** The short key that rows of an anchor's chains carry, or undefined when the anchor has none yet. */
export function chainKey(database: Database, anchor: string): number | undefined {
  const row = database.get('SELECT key FROM chains WHERE anchor = ?', anchor);
  return row === undefined ? undefined : integer(row, 'key');
}

/** The same, made when it is not there yet. Call it inside the transaction that uses it. */
export function ensureChainKey(database: Database, anchor: string): number {
  database.run('INSERT INTO chains (anchor) VALUES (?) ON CONFLICT DO NOTHING', anchor);
  return integer(database.get('SELECT key FROM chains WHERE anchor = ?', anchor), 'key');
}
