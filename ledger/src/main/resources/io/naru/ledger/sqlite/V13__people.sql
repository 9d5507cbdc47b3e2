-- The same as for PostgreSQL, where it is explained.
CREATE TABLE queue_minutes (
  queue_id        INTEGER NOT NULL,
  minute          INTEGER NOT NULL,
  joined_total    INTEGER NOT NULL,
  entered_total   INTEGER NOT NULL,
  completed_total INTEGER NOT NULL,
  left_total      INTEGER NOT NULL,
  expired_total   INTEGER NOT NULL,
  PRIMARY KEY (queue_id, minute)
) WITHOUT ROWID;

ALTER TABLE queue_entries ADD COLUMN end_reason TEXT NOT NULL DEFAULT '';
