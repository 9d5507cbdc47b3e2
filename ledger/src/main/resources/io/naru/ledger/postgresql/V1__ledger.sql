-- All times are microseconds since 2026-01-01T00:00:00Z; 0 means never. The views at the end show them as
-- timestamps.

-- This ledger's own name, which its copies remember; and what all servers share.
CREATE TABLE shared_values (
  name  varchar(64) PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE waiting_queues (
  id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_type             varchar(32) COLLATE "C" NOT NULL,
  event_id               varchar(64) COLLATE "C" NOT NULL,
  max_capacity           integer NOT NULL,
  entry_batch_size       integer NOT NULL,
  entry_interval_seconds integer NOT NULL,
  pass_ttl_seconds       integer NOT NULL,
  max_waiting            integer NOT NULL,
  new_places_per_minute  integer NOT NULL,
  title                  text NOT NULL,
  target_url             text NOT NULL,
  is_active              boolean NOT NULL,
  version                bigint NOT NULL,
  created_at             bigint NOT NULL,
  activated_at           bigint NOT NULL,
  deactivated_at         bigint NOT NULL,
  -- The numbered state: every row of queue_entries says which change touched it last.
  change_no              bigint NOT NULL,
  last_score             bigint NOT NULL,
  -- Nobody with a smaller score is waiting.
  front_score            bigint NOT NULL,
  waiting                bigint NOT NULL,
  inside                 bigint NOT NULL,
  tokens                 integer NOT NULL,
  refilled_at            bigint NOT NULL,
  last_entered_at        bigint NOT NULL,
  joined_total           bigint NOT NULL,
  entered_total          bigint NOT NULL,
  completed_total        bigint NOT NULL,
  left_total             bigint NOT NULL,
  expired_total          bigint NOT NULL,
  -- The highest change of a row that was deleted after its time.
  kept_from              bigint NOT NULL,
  UNIQUE (event_type, event_id)
) WITH (fillfactor = 20);

CREATE TABLE queue_entries (
  queue_id   bigint NOT NULL,
  score      bigint NOT NULL,
  user_id    varchar(128) COLLATE "C" NOT NULL,
  status     varchar(9) COLLATE "C" NOT NULL,
  joined_at  bigint NOT NULL,
  entered_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  -- When it was completed, left or expired, as the status says.
  ended_at   bigint NOT NULL,
  -- 1 while waiting or inside, then null: at most one live entry per user and queue.
  live       smallint,
  change_no  bigint NOT NULL,
  PRIMARY KEY (queue_id, score)
);

-- A sale goes from nobody to millions within a minute, long before the database has looked at its tables and
-- knows which index is good for what. So every index is made for one kind of question, and no other can
-- answer it: by line (queue_id, score), by user (user_id first), by change (queue_id + 0).
CREATE UNIQUE INDEX queue_entries_user ON queue_entries (user_id, queue_id, live);
CREATE INDEX queue_entries_change ON queue_entries ((queue_id + 0), change_no);
CREATE INDEX queue_entries_inside ON queue_entries (queue_id, expires_at) WHERE status = 'ENTERED';

-- The last transaction of each server: whether a commit whose answer was lost has happened.
CREATE TABLE writers (
  server  varchar(64) PRIMARY KEY,
  batch   bigint NOT NULL,
  seen_at bigint NOT NULL
) WITH (fillfactor = 20);

-- Queues that were deleted; their entries go bit by bit.
CREATE TABLE deleted_queues (
  id bigint PRIMARY KEY
);

CREATE FUNCTION naru_time(micros bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT CASE WHEN micros <> 0
    THEN timestamptz '2026-01-01T00:00:00Z' + micros * interval '1 microsecond' END
$$;

CREATE VIEW readable_entries AS
SELECT q.event_type, q.event_id, e.user_id, e.status,
       naru_time(e.joined_at) AS joined_at, naru_time(e.entered_at) AS entered_at,
       naru_time(e.expires_at) AS expires_at, naru_time(e.ended_at) AS ended_at
FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id;
