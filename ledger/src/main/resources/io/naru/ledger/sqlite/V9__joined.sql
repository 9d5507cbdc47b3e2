-- The same as for PostgreSQL, where it is explained. Its tables cannot get another key: they are made anew.
DROP VIEW readable_entries;

CREATE TABLE entries_by_joined (
  queue_id    INTEGER NOT NULL,
  joined_at   INTEGER NOT NULL,
  score       INTEGER,
  user_id     TEXT NOT NULL,
  status      TEXT NOT NULL,
  entered_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL,
  live        INTEGER,
  change_no   INTEGER NOT NULL,
  redeemed_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (queue_id, joined_at)
) WITHOUT ROWID;

INSERT INTO entries_by_joined
SELECT queue_id, joined_at, score, user_id, status, entered_at, expires_at, ended_at, live, change_no, redeemed_by
FROM queue_entries ORDER BY queue_id, joined_at;

DROP TABLE queue_entries;
ALTER TABLE entries_by_joined RENAME TO queue_entries;

CREATE UNIQUE INDEX queue_entries_user ON queue_entries (user_id, queue_id, live);
CREATE INDEX queue_entries_change ON queue_entries (queue_id + 0, change_no);
CREATE INDEX queue_entries_inside ON queue_entries (queue_id, expires_at) WHERE status = 'ENTERED';
CREATE INDEX queue_entries_over ON queue_entries (queue_id - 0, expires_at)
  WHERE live IS NULL AND expires_at > ended_at;
CREATE UNIQUE INDEX queue_entries_waiting ON queue_entries (queue_id - 0, score) WHERE status = 'WAITING';

ALTER TABLE waiting_queues RENAME COLUMN last_score TO last_joined;

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
