-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN lanes TEXT NOT NULL DEFAULT '';

CREATE TABLE lane_codes (
  queue_id INTEGER NOT NULL,
  code     TEXT NOT NULL,
  lane     TEXT NOT NULL,
  PRIMARY KEY (queue_id, code)
) WITHOUT ROWID;
