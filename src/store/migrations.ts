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
  `
  -- Texts may be deflated now (ANY holds both), against an earlier row that they mostly repeat; hashes are bytes.
  CREATE TABLE objects_2 (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    hash ANY NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- Key of the object that this one is stored against, and how many such steps there are behind it.
    base INTEGER,
    bases INTEGER NOT NULL,
    json ANY NOT NULL
  ) STRICT;
  INSERT INTO objects_2 (hash, kind, base, bases, json)
    SELECT ifnull(CASE length(hash) WHEN 64 THEN unhex(hash) END, hash), kind, NULL, 0, json FROM objects ORDER BY rowid;
  DROP TABLE objects;
  ALTER TABLE objects_2 RENAME TO objects;
  CREATE INDEX objects_by_base ON objects (base) WHERE base IS NOT NULL;

  CREATE TABLE trees (
    key INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL UNIQUE
  ) STRICT;
  INSERT INTO trees (workspace) SELECT workspace FROM snapshots GROUP BY workspace ORDER BY min(n);
  INSERT INTO chains (anchor) SELECT anchor FROM snapshots GROUP BY anchor ORDER BY min(n) ON CONFLICT DO NOTHING;

  CREATE TABLE snapshots_2 (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id ANY NOT NULL UNIQUE,
    chain INTEGER NOT NULL REFERENCES chains (key),
    tree INTEGER NOT NULL REFERENCES trees (key),
    taken_at TEXT NOT NULL,
    trigger TEXT NOT NULL,
    commit_id ANY,
    -- The row that this one is stored against, and how many such steps there are behind it.
    base INTEGER,
    bases INTEGER NOT NULL,
    json ANY NOT NULL
  ) STRICT;
  INSERT INTO snapshots_2
    SELECT s.n, ifnull(CASE length(s.id) WHEN 64 THEN unhex(s.id) END, s.id), c.key, t.key, s.taken_at,
      ifnull(json_extract(s.json, '$.trigger'), 'manual'),
      ifnull(CASE WHEN length(s.commit_id) IN (40, 64) THEN unhex(s.commit_id) END, s.commit_id), NULL, 0, s.json
    FROM snapshots s JOIN chains c ON c.anchor = s.anchor JOIN trees t ON t.workspace = s.workspace ORDER BY s.n;
  DROP TABLE snapshots;
  ALTER TABLE snapshots_2 RENAME TO snapshots;
  CREATE INDEX snapshots_by_tree ON snapshots (tree, n);
  CREATE INDEX snapshots_by_commit ON snapshots (tree, commit_id) WHERE commit_id IS NOT NULL;
  CREATE INDEX snapshots_by_chain ON snapshots (chain, n);
  CREATE INDEX snapshots_by_base ON snapshots (base) WHERE base IS NOT NULL;

  CREATE TABLE deltas_2 (
    chain INTEGER NOT NULL REFERENCES chains (key),
    seq INTEGER NOT NULL,
    id ANY NOT NULL,
    hash ANY NOT NULL,
    prev ANY NOT NULL,
    body ANY NOT NULL,
    -- Keys of the objects that the body repeats and is stored against, as a JSON list.
    parts TEXT,
    -- Bytes of the bodies up to and with this one; says when a checkpoint is due.
    total INTEGER NOT NULL,
    PRIMARY KEY (chain, seq)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO deltas_2
    SELECT chain, seq, ifnull(CASE WHEN length(id) = 36 AND id = lower(id) THEN unhex(id, '-') END, id),
      ifnull(CASE length(hash) WHEN 64 THEN unhex(hash) END, hash),
      ifnull(CASE length(prev) WHEN 64 THEN unhex(prev) END, prev), body, NULL, total
    FROM deltas;
  DROP TABLE deltas;
  ALTER TABLE deltas_2 RENAME TO deltas;
  CREATE UNIQUE INDEX deltas_by_id ON deltas (chain, id);
  CREATE INDEX deltas_by_parts ON deltas (chain, seq) WHERE parts IS NOT NULL;
  `,
];

/** The schema this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
