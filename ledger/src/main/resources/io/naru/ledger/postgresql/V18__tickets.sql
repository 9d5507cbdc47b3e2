-- The how-manieth of its lane an entry was to join, from 1 on; who was moved to another lane has a new one. Of those who
-- waited before tickets were given out, the first of each lane has the first. last_ticket is how many were given out in a
-- line without lanes; of lanes, the fifth number of each in lanes, or the second (how many wait) where there is no fifth.
ALTER TABLE queue_entries ADD COLUMN ticket bigint NOT NULL DEFAULT 0;
ALTER TABLE waiting_queues ADD COLUMN last_ticket bigint NOT NULL DEFAULT 0;

-- The number is how far the bands of scores are apart, each a lane.
UPDATE queue_entries SET ticket = numbered.ticket
FROM (
  SELECT e.queue_id, e.joined_at, row_number() OVER (
    PARTITION BY e.queue_id, e.score - ((e.score % 788940000000000) + 788940000000000) % 788940000000000
    ORDER BY e.score) AS ticket
  FROM queue_entries e WHERE e.status = 'WAITING'
) numbered
WHERE queue_entries.queue_id = numbered.queue_id AND queue_entries.joined_at = numbered.joined_at;

UPDATE waiting_queues SET last_ticket = waiting WHERE lanes = '';
