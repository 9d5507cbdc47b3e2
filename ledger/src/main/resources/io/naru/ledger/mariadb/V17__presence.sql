-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  ADD COLUMN /*M! IF NOT EXISTS */ presence mediumtext CHARACTER SET ascii COLLATE ascii_bin,
  ADD COLUMN /*M! IF NOT EXISTS */ absent bigint NOT NULL DEFAULT 0;

CREATE TABLE IF NOT EXISTS queue_seen (
  queue_id  bigint NOT NULL,
  joined_at bigint NOT NULL,
  seen_at   bigint NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS queue_absent (
  queue_id  bigint NOT NULL,
  joined_at bigint NOT NULL,
  score     bigint NOT NULL,
  since     bigint NOT NULL,
  PRIMARY KEY (queue_id, joined_at),
  KEY queue_absent_since (queue_id, since, score),
  KEY queue_absent_score (queue_id, score)
) ENGINE = InnoDB;
