-- The same as for PostgreSQL, where it is explained; each statement can be repeated.
CREATE TABLE IF NOT EXISTS access_keys (
  id           varchar(32) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  name         varchar(64) NOT NULL,
  live_name    varchar(64),
  role         varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  queues       text NOT NULL,
  digest       varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at   bigint NOT NULL,
  created_by   varchar(64) NOT NULL,
  expires_at   bigint NOT NULL,
  last_used_at bigint NOT NULL,
  revoked_at   bigint NOT NULL,
  UNIQUE KEY access_keys_live_name (live_name)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS audit_rows (
  id         bigint AUTO_INCREMENT PRIMARY KEY,
  at         bigint NOT NULL,
  who        varchar(64) NOT NULL,
  role       varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  address    varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  act        varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_type varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_id   varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  old_values mediumtext NOT NULL,
  new_values mediumtext NOT NULL,
  KEY audit_rows_queue (event_type, event_id, id)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
