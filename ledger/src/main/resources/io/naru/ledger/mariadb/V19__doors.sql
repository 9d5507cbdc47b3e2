-- The same as for PostgreSQL, where it is explained; each statement can be repeated.
CREATE TABLE IF NOT EXISTS queue_owed (
  queue_id   bigint NOT NULL,
  joined_at  bigint NOT NULL,
  owed       varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  owed_until bigint NOT NULL,
  PRIMARY KEY (queue_id, joined_at),
  KEY queue_owed_until (queue_id, owed_until)
) ENGINE = InnoDB;
