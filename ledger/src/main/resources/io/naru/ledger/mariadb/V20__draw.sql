-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  ADD COLUMN /*M! IF NOT EXISTS */ draw mediumtext CHARACTER SET ascii COLLATE ascii_bin;

CREATE TABLE IF NOT EXISTS draw_leaves (
  queue_id bigint NOT NULL,
  seal_id  varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  part     integer NOT NULL,
  made_at  bigint NOT NULL,
  leaves   mediumblob NOT NULL,
  PRIMARY KEY (queue_id, seal_id, part)
) ENGINE = InnoDB;
