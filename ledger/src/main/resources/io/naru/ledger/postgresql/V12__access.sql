-- Keys that make somebody an operator. The key itself is nowhere: only its SHA-256, which cannot be turned back.
CREATE TABLE access_keys (
  id           varchar(32) COLLATE "C" PRIMARY KEY,
  name         varchar(64) NOT NULL,
  -- The name as long as the key is not revoked: no two of those have the same.
  live_name    varchar(64) UNIQUE,
  role         varchar(16) NOT NULL,
  -- Which queues it is for, TYPE/id or TYPE/*, with blanks between; empty for all.
  queues       text NOT NULL,
  digest       varchar(64) NOT NULL,
  created_at   bigint NOT NULL,
  created_by   varchar(64) NOT NULL,
  expires_at   bigint NOT NULL,
  last_used_at bigint NOT NULL,
  revoked_at   bigint NOT NULL
);

-- Who did what, written in the transaction that did it. Names its queue by name: it outlives it.
CREATE TABLE audit_rows (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         bigint NOT NULL,
  who        varchar(64) NOT NULL,
  role       varchar(16) NOT NULL,
  address    varchar(64) NOT NULL,
  act        varchar(32) COLLATE "C" NOT NULL,
  -- Both empty if it was about no queue.
  event_type varchar(32) COLLATE "C" NOT NULL,
  event_id   varchar(64) COLLATE "C" NOT NULL,
  -- What it changed, as JSON objects: only what differs.
  old_values text NOT NULL,
  new_values text NOT NULL
);

CREATE INDEX audit_rows_queue ON audit_rows (event_type, event_id, id);
