/**
 * The schema as a list of steps; `PRAGMA user_version` says how many a database has taken.
 * A released step is never changed: a later one is added. Every step keeps what is stored.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE anchors (
    id TEXT PRIMARY KEY,
    repository TEXT NOT NULL,
    main_branch TEXT NOT NULL,
    attached_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX anchors_by_repository ON anchors (repository);

  CREATE TABLE anchor_aliases (
    alias TEXT PRIMARY KEY,
    anchor TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX anchor_aliases_by_anchor ON anchor_aliases (anchor);

  CREATE TABLE common_dirs (
    path TEXT PRIMARY KEY,
    anchor TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Content-addressed: directory nodes and outlines, each once.
  CREATE TABLE objects (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;

  CREATE TABLE snapshots (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    anchor TEXT NOT NULL,
    workspace TEXT NOT NULL,
    taken_at TEXT NOT NULL,
    commit_id TEXT,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX snapshots_by_workspace ON snapshots (workspace, n);
  CREATE INDEX snapshots_by_commit ON snapshots (workspace, commit_id) WHERE commit_id IS NOT NULL;
  CREATE INDEX snapshots_by_anchor ON snapshots (anchor, n);

  -- A short key for an anchor's id, which every row of its chains would repeat otherwise.
  CREATE TABLE chains (
    key INTEGER PRIMARY KEY,
    anchor TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE deltas (
    chain INTEGER NOT NULL REFERENCES chains (key),
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    body TEXT NOT NULL,
    -- Bytes of the bodies up to and with this one; says when a checkpoint is due.
    total INTEGER NOT NULL,
    PRIMARY KEY (chain, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX deltas_by_id ON deltas (chain, id);

  CREATE TABLE receipts (
    chain INTEGER NOT NULL REFERENCES chains (key),
    n INTEGER NOT NULL,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (chain, n)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX receipts_by_id ON receipts (chain, id);

  -- Who may still hold receipts in memory; a row whose process is gone means some may be lost.
  CREATE TABLE receipt_writers (
    chain INTEGER NOT NULL REFERENCES chains (key),
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_start TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    PRIMARY KEY (chain, owner)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_start TEXT NOT NULL,
    url TEXT NOT NULL,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- A cache: the state some head makes. It can be made again from the deltas.
  CREATE TABLE states (
    chain INTEGER PRIMARY KEY REFERENCES chains (key),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  `,
];

/** The schema this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
