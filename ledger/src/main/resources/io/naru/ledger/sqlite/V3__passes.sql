-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN audience TEXT NOT NULL DEFAULT '';

ALTER TABLE queue_entries ADD COLUMN redeemed_by TEXT NOT NULL DEFAULT '';

CREATE TABLE signing_keys (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  content TEXT NOT NULL
) WITHOUT ROWID;
