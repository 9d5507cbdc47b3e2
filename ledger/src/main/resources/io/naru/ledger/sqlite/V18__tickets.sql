-- The same as for PostgreSQL, where it is explained.
ALTER TABLE queue_entries ADD COLUMN ticket INTEGER NOT NULL DEFAULT 0;
ALTER TABLE waiting_queues ADD COLUMN last_ticket INTEGER NOT NULL DEFAULT 0;

UPDATE queue_entries SET ticket = numbered.ticket
FROM (
  SELECT e.queue_id, e.joined_at, row_number() OVER (
    PARTITION BY e.queue_id, e.score - ((e.score % 788940000000000) + 788940000000000) % 788940000000000
    ORDER BY e.score) AS ticket
  FROM queue_entries e WHERE e.status = 'WAITING'
) numbered
WHERE queue_entries.queue_id = numbered.queue_id AND queue_entries.joined_at = numbered.joined_at;

UPDATE waiting_queues SET last_ticket = waiting WHERE lanes = '';
