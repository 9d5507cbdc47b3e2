-- Who looks who is there, as one JSON text that no statement looks into; null where the queue does not go by that. And how many who wait
-- were passed over and have not been seen since.
ALTER TABLE waiting_queues ADD COLUMN presence text, ADD COLUMN absent bigint NOT NULL DEFAULT 0;

-- When those near the front were last seen; each is forgotten a minute later.
CREATE TABLE queue_seen (
  queue_id  bigint NOT NULL,
  joined_at bigint NOT NULL,
  seen_at   bigint NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
) WITH (fillfactor = 50);

-- Those who wait and were passed over because they were not there: since when, 0 once they were seen again.
CREATE TABLE queue_absent (
  queue_id  bigint NOT NULL,
  joined_at bigint NOT NULL,
  score     bigint NOT NULL,
  since     bigint NOT NULL,
  PRIMARY KEY (queue_id, joined_at)
);
CREATE INDEX queue_absent_since ON queue_absent (queue_id, since, score);
CREATE INDEX queue_absent_score ON queue_absent (queue_id, score);
