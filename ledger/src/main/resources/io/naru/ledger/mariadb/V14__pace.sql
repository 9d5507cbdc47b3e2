-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  ADD COLUMN /*M! IF NOT EXISTS */ tokens_rest bigint NOT NULL DEFAULT 0,
  ADD COLUMN /*M! IF NOT EXISTS */ rate varchar(8000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';

CREATE TABLE IF NOT EXISTS queue_rates (
  queue_id     bigint NOT NULL,
  at           bigint NOT NULL,
  rate_milli   bigint NOT NULL,
  inside_limit bigint NOT NULL,
  inside       bigint NOT NULL,
  p95_micros   bigint NOT NULL,
  errors_milli bigint NOT NULL,
  reason       varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (queue_id, at)
) ENGINE = InnoDB;
