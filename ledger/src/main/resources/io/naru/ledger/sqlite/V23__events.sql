-- The same as for PostgreSQL, where it is explained.
CREATE TABLE queue_events (
  queue_id   INTEGER NOT NULL,
  change_no  INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  event_id   TEXT NOT NULL,
  at         INTEGER NOT NULL,
  events     TEXT NOT NULL,
  PRIMARY KEY (queue_id, change_no)
) WITHOUT ROWID;

CREATE TABLE event_readers (
  name     TEXT PRIMARY KEY,
  heard_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE event_cursors (
  reader    TEXT NOT NULL,
  queue_id  INTEGER NOT NULL,
  change_no INTEGER NOT NULL,
  gone_to   INTEGER NOT NULL,
  PRIMARY KEY (queue_id, reader)
) WITHOUT ROWID;

CREATE TABLE event_holders (
  name       TEXT PRIMARY KEY,
  holder     TEXT NOT NULL,
  held_until INTEGER NOT NULL
) WITHOUT ROWID;
