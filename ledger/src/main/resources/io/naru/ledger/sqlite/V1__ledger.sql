-- The same tables as for PostgreSQL, where the columns are explained.
-- All times are microseconds since 2026-01-01T00:00:00Z; 0 means never.

CREATE TABLE shared_values (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE waiting_queues (
  id                     INTEGER PRIMARY KEY AUTOINCREMENT,
  event_type             TEXT NOT NULL,
  event_id               TEXT NOT NULL,
  max_capacity           INTEGER NOT NULL,
  entry_batch_size       INTEGER NOT NULL,
  entry_interval_seconds INTEGER NOT NULL,
  pass_ttl_seconds       INTEGER NOT NULL,
  max_waiting            INTEGER NOT NULL,
  new_places_per_minute  INTEGER NOT NULL,
  title                  TEXT NOT NULL,
  target_url             TEXT NOT NULL,
  is_active              BOOLEAN NOT NULL,
  version                INTEGER NOT NULL,
  created_at             INTEGER NOT NULL,
  activated_at           INTEGER NOT NULL,
  deactivated_at         INTEGER NOT NULL,
  change_no              INTEGER NOT NULL,
  last_score             INTEGER NOT NULL,
  front_score            INTEGER NOT NULL,
  waiting                INTEGER NOT NULL,
  inside                 INTEGER NOT NULL,
  tokens                 INTEGER NOT NULL,
  refilled_at            INTEGER NOT NULL,
  last_entered_at        INTEGER NOT NULL,
  joined_total           INTEGER NOT NULL,
  entered_total          INTEGER NOT NULL,
  completed_total        INTEGER NOT NULL,
  left_total             INTEGER NOT NULL,
  expired_total          INTEGER NOT NULL,
  kept_from              INTEGER NOT NULL,
  UNIQUE (event_type, event_id)
);

CREATE TABLE queue_entries (
  queue_id   INTEGER NOT NULL,
  score      INTEGER NOT NULL,
  user_id    TEXT NOT NULL,
  status     TEXT NOT NULL,
  joined_at  INTEGER NOT NULL,
  entered_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL,
  live       INTEGER,
  change_no  INTEGER NOT NULL,
  PRIMARY KEY (queue_id, score)
) WITHOUT ROWID;

CREATE UNIQUE INDEX queue_entries_user ON queue_entries (user_id, queue_id, live);

CREATE INDEX queue_entries_change ON queue_entries (queue_id + 0, change_no);
CREATE INDEX queue_entries_inside ON queue_entries (queue_id, expires_at) WHERE status = 'ENTERED';

CREATE TABLE writers (
  server  TEXT PRIMARY KEY,
  batch   INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE deleted_queues (
  id INTEGER PRIMARY KEY
);

CREATE VIEW readable_entries AS
SELECT q.event_type, q.event_id, e.user_id, e.status,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.joined_at / 1e6 + 1767225600, 'unixepoch') AS joined_at,
       CASE WHEN e.entered_at <> 0
         THEN strftime('%Y-%m-%dT%H:%M:%fZ', e.entered_at / 1e6 + 1767225600, 'unixepoch') END AS entered_at,
       CASE WHEN e.expires_at <> 0
         THEN strftime('%Y-%m-%dT%H:%M:%fZ', e.expires_at / 1e6 + 1767225600, 'unixepoch') END AS expires_at,
       CASE WHEN e.ended_at <> 0
         THEN strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_at / 1e6 + 1767225600, 'unixepoch') END AS ended_at
FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id;
