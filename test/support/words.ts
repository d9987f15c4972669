/** Words that names in generated code are put together from. */
export const WORDS = [
  ...['account', 'anchor', 'batch', 'billing', 'cache', 'catalog', 'client', 'config', 'cursor', 'editor', 'event'],
  ...['export', 'filter', 'format', 'graph', 'history', 'import', 'index', 'invoice', 'layout', 'ledger', 'market'],
  ...['message', 'metric', 'order', 'parser', 'payment', 'policy', 'profile', 'query', 'queue', 'record', 'report'],
  ...['route', 'schema', 'search', 'session', 'signal', 'stream', 'table', 'tenant', 'token', 'vendor', 'widget'],
] as const;
