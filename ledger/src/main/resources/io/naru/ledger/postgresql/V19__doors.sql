-- What those who wait still owe before they may go in: WORK, the word of an outside VERIFIER, or only time (SLOW). owed_until is
-- when it is over that somebody is passed over for it (then they also have a row in queue_absent, whose since is the largest number),
-- 0 as long as they were not.
CREATE TABLE queue_owed (
  queue_id   bigint NOT NULL,
  joined_at  bigint NOT NULL,
  owed       text NOT NULL,
  owed_until bigint NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
);
CREATE INDEX queue_owed_until ON queue_owed (queue_id, owed_until);
