-- The same as for PostgreSQL, where it is explained; each statement can be repeated.
CREATE TABLE IF NOT EXISTS queue_events (
  queue_id   bigint NOT NULL,
  change_no  bigint NOT NULL,
  event_type varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_id   varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  at         bigint NOT NULL,
  events     longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (queue_id, change_no)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS event_readers (
  name     varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  heard_at bigint NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS event_cursors (
  reader    varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  queue_id  bigint NOT NULL,
  change_no bigint NOT NULL,
  gone_to   bigint NOT NULL,
  PRIMARY KEY (queue_id, reader)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS event_holders (
  name       varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  holder     varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  held_until bigint NOT NULL
) ENGINE = InnoDB;
