-- The same as for PostgreSQL, where it is explained.
CREATE TABLE webhooks (
  id             TEXT PRIMARY KEY,
  name           TEXT NOT NULL UNIQUE,
  url            TEXT NOT NULL,
  queues         TEXT NOT NULL,
  events         TEXT NOT NULL,
  secrets        TEXT NOT NULL,
  created_at     INTEGER NOT NULL,
  created_by     TEXT NOT NULL,
  version        INTEGER NOT NULL,
  rotating_until INTEGER NOT NULL,
  ended_at       INTEGER NOT NULL,
  because        TEXT NOT NULL,
  holder         TEXT NOT NULL,
  held_until     INTEGER NOT NULL,
  failures       INTEGER NOT NULL,
  rests_until    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE webhook_deliveries (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  kind       TEXT NOT NULL,
  event_type TEXT NOT NULL,
  event_id   TEXT NOT NULL,
  body       TEXT NOT NULL,
  state      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  begun_at   INTEGER NOT NULL,
  tries      INTEGER NOT NULL,
  due_at     INTEGER NOT NULL,
  tried_at   INTEGER NOT NULL,
  status     INTEGER NOT NULL,
  error      TEXT NOT NULL,
  UNIQUE (webhook_id, message_id)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, id) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX webhook_deliveries_all ON webhook_deliveries (webhook_id, id);

CREATE TABLE webhook_signs (
  event_type TEXT NOT NULL,
  event_id   TEXT NOT NULL,
  kind       TEXT NOT NULL,
  seen_at    INTEGER NOT NULL,
  PRIMARY KEY (event_type, event_id, kind)
) WITHOUT ROWID;
