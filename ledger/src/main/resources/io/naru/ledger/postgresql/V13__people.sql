-- What was counted up to the end of each minute in which a queue changed: written with its first change in a later
-- minute, so at most one row per queue and minute. Minutes are counted as times are.
CREATE TABLE queue_minutes (
  queue_id        bigint NOT NULL,
  minute          bigint NOT NULL,
  joined_total    bigint NOT NULL,
  entered_total   bigint NOT NULL,
  completed_total bigint NOT NULL,
  left_total      bigint NOT NULL,
  expired_total   bigint NOT NULL,
  PRIMARY KEY (queue_id, minute)
);

-- Why an entry ended, where an operator ended it: removed or revoked.
ALTER TABLE queue_entries ADD COLUMN end_reason varchar(9) COLLATE "C" NOT NULL DEFAULT '';
