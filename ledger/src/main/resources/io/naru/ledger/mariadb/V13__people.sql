-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
CREATE TABLE IF NOT EXISTS queue_minutes (
  queue_id        bigint NOT NULL,
  minute          bigint NOT NULL,
  joined_total    bigint NOT NULL,
  entered_total   bigint NOT NULL,
  completed_total bigint NOT NULL,
  left_total      bigint NOT NULL,
  expired_total   bigint NOT NULL,
  PRIMARY KEY (queue_id, minute)
) ENGINE = InnoDB;

ALTER TABLE queue_entries
  ADD COLUMN /*M! IF NOT EXISTS */ end_reason varchar(9) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
