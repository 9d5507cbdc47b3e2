-- The lanes of a queue as they stand, as one JSON text: for each name its band, how many wait in it, the smallest score
-- among them, and when its next turn starts. Empty where all stand in one line.
ALTER TABLE waiting_queues ADD COLUMN lanes text NOT NULL DEFAULT '';

-- Codes that give whoever shows one first a place in a lane: a hash of each, until it is used.
CREATE TABLE lane_codes (
  queue_id bigint NOT NULL,
  code     varchar(64) COLLATE "C" NOT NULL,
  lane     varchar(16) COLLATE "C" NOT NULL,
  PRIMARY KEY (queue_id, code)
);
