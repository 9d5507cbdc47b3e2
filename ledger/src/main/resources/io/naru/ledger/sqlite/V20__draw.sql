-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN draw TEXT;

CREATE TABLE draw_leaves (
  queue_id INTEGER NOT NULL,
  seal_id  TEXT NOT NULL,
  part     INTEGER NOT NULL,
  made_at  INTEGER NOT NULL,
  leaves   BLOB NOT NULL,
  PRIMARY KEY (queue_id, seal_id, part)
);
