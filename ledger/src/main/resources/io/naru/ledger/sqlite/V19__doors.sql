-- The same as for PostgreSQL, where it is explained.
CREATE TABLE queue_owed (
  queue_id   INTEGER NOT NULL,
  joined_at  INTEGER NOT NULL,
  owed       TEXT NOT NULL,
  owed_until INTEGER NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
) WITHOUT ROWID;
CREATE INDEX queue_owed_until ON queue_owed (queue_id, owed_until);
