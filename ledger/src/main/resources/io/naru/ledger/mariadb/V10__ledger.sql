-- The same tables as for PostgreSQL, where the columns are explained, in one step: nothing here is undone when a
-- statement fails, so each can be repeated.
-- All times are microseconds since 2026-01-01T00:00:00Z; 0 means never.
-- Names, users and what else is compared are ASCII without spaces, and compared byte by byte.

CREATE TABLE IF NOT EXISTS shared_values (
  name  varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  value text NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS waiting_queues (
  id                     bigint AUTO_INCREMENT PRIMARY KEY,
  event_type             varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_id               varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  settings               mediumtext NOT NULL,
  is_active              boolean NOT NULL,
  version                bigint NOT NULL,
  created_at             bigint NOT NULL,
  activated_at           bigint NOT NULL,
  deactivated_at         bigint NOT NULL,
  change_no              bigint NOT NULL,
  last_joined            bigint NOT NULL,
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
  kept_from              bigint NOT NULL,
  changed_minute         bigint NOT NULL,
  room_from              bigint NOT NULL,
  is_busy                boolean GENERATED ALWAYS AS (waiting > 0 OR inside > 0) STORED,
  UNIQUE KEY waiting_queues_name (event_type, event_id),
  -- It has no indexes of some rows only: what they would leave out stands in front, in one place.
  KEY waiting_queues_busy (is_busy, event_type, event_id),
  KEY waiting_queues_changed (changed_minute, event_type, event_id)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS queue_entries (
  queue_id    bigint NOT NULL,
  joined_at   bigint NOT NULL,
  score       bigint,
  user_id     varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status      varchar(9) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entered_at  bigint NOT NULL,
  expires_at  bigint NOT NULL,
  ended_at    bigint NOT NULL,
  live        smallint,
  change_no   bigint NOT NULL,
  redeemed_by varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  -- The same for all who wait, so that no two of them stand in the same place.
  not_waiting bigint GENERATED ALWAYS AS (CASE WHEN status = 'WAITING' THEN 0 ELSE joined_at END) STORED,
  PRIMARY KEY (queue_id, joined_at),
  UNIQUE KEY queue_entries_user (user_id, queue_id, live),
  UNIQUE KEY queue_entries_waiting (queue_id, status, score, not_waiting),
  KEY queue_entries_inside (queue_id, status, expires_at),
  KEY queue_entries_change (queue_id, change_no),
  KEY queue_entries_over (queue_id, live, expires_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS writers (
  server  varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  batch   bigint NOT NULL,
  seen_at bigint NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS deleted_queues (
  id bigint PRIMARY KEY
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS signing_keys (
  name    varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  version bigint NOT NULL,
  content mediumtext NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE OR REPLACE VIEW readable_entries AS
SELECT q.event_type, q.event_id, e.user_id, e.status,
       timestamp('2026-01-01') + INTERVAL e.joined_at MICROSECOND AS joined_at,
       CASE WHEN e.entered_at <> 0
         THEN timestamp('2026-01-01') + INTERVAL e.entered_at MICROSECOND END AS entered_at,
       CASE WHEN e.expires_at <> 0
         THEN timestamp('2026-01-01') + INTERVAL e.expires_at MICROSECOND END AS expires_at,
       CASE WHEN e.ended_at <> 0
         THEN timestamp('2026-01-01') + INTERVAL e.ended_at MICROSECOND END AS ended_at
FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id;
