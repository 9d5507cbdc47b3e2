-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN tokens_rest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE waiting_queues ADD COLUMN rate TEXT NOT NULL DEFAULT '';

CREATE TABLE queue_rates (
  queue_id     INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  rate_milli   INTEGER NOT NULL,
  inside_limit INTEGER NOT NULL,
  inside       INTEGER NOT NULL,
  p95_micros   INTEGER NOT NULL,
  errors_milli INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  PRIMARY KEY (queue_id, at)
) WITHOUT ROWID;
