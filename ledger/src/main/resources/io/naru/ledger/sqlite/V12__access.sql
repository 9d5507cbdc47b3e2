-- The same as for PostgreSQL, where it is explained.
CREATE TABLE access_keys (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  live_name    TEXT UNIQUE,
  role         TEXT NOT NULL,
  queues       TEXT NOT NULL,
  digest       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  created_by   TEXT NOT NULL,
  expires_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  revoked_at   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE audit_rows (
  -- No number is used twice, also when all rows are gone.
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL,
  who        TEXT NOT NULL,
  role       TEXT NOT NULL,
  address    TEXT NOT NULL,
  act        TEXT NOT NULL,
  event_type TEXT NOT NULL,
  event_id   TEXT NOT NULL,
  old_values TEXT NOT NULL,
  new_values TEXT NOT NULL
);

CREATE INDEX audit_rows_queue ON audit_rows (event_type, event_id, id);
