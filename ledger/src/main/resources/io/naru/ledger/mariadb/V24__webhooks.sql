-- The same as for PostgreSQL, where it is explained; each statement can be repeated.
CREATE TABLE IF NOT EXISTS webhooks (
  id             varchar(32) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  name           varchar(64) NOT NULL,
  url            text NOT NULL,
  queues         text NOT NULL,
  events         text NOT NULL,
  secrets        text NOT NULL,
  created_at     bigint NOT NULL,
  created_by     varchar(64) NOT NULL,
  version        bigint NOT NULL,
  rotating_until bigint NOT NULL,
  ended_at       bigint NOT NULL,
  because        varchar(200) NOT NULL,
  holder         varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  held_until     bigint NOT NULL,
  failures       integer NOT NULL,
  rests_until    bigint NOT NULL,
  UNIQUE KEY webhooks_name (name)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id         bigint AUTO_INCREMENT PRIMARY KEY,
  webhook_id varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  message_id varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  kind       varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_type varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_id   varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  body       mediumtext NOT NULL,
  state      varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at bigint NOT NULL,
  begun_at   bigint NOT NULL,
  tries      integer NOT NULL,
  due_at     bigint NOT NULL,
  tried_at   bigint NOT NULL,
  status     integer NOT NULL,
  error      varchar(200) NOT NULL,
  UNIQUE KEY webhook_deliveries_message (webhook_id, message_id),
  KEY webhook_deliveries_due (webhook_id, state, due_at, id),
  KEY webhook_deliveries_state (webhook_id, state, id),
  KEY webhook_deliveries_all (webhook_id, id)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS webhook_signs (
  event_type varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_id   varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  kind       varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  seen_at    bigint NOT NULL,
  PRIMARY KEY (event_type, event_id, kind)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
