-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  ADD COLUMN /*M! IF NOT EXISTS */ lanes varchar(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';

CREATE TABLE IF NOT EXISTS lane_codes (
  queue_id bigint NOT NULL,
  code     varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lane     varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (queue_id, code)
) ENGINE = InnoDB;
