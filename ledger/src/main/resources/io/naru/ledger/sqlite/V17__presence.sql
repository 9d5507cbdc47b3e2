-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN presence TEXT;
ALTER TABLE waiting_queues ADD COLUMN absent INTEGER NOT NULL DEFAULT 0;

CREATE TABLE queue_seen (
  queue_id  INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  seen_at   INTEGER NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
) WITHOUT ROWID;

CREATE TABLE queue_absent (
  queue_id  INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  score     INTEGER NOT NULL,
  since     INTEGER NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
) WITHOUT ROWID;
CREATE INDEX queue_absent_since ON queue_absent (queue_id, since, score);
CREATE INDEX queue_absent_score ON queue_absent (queue_id, score);
