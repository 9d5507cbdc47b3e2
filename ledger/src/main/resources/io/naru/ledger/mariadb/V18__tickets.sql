-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE queue_entries ADD COLUMN /*M! IF NOT EXISTS */ ticket bigint NOT NULL DEFAULT 0;
ALTER TABLE waiting_queues ADD COLUMN /*M! IF NOT EXISTS */ last_ticket bigint NOT NULL DEFAULT 0;

UPDATE queue_entries
JOIN (
  SELECT e.queue_id, e.joined_at, row_number() OVER (
    PARTITION BY e.queue_id, e.score - ((e.score % 788940000000000) + 788940000000000) % 788940000000000
    ORDER BY e.score) AS ticket
  FROM queue_entries e WHERE e.status = 'WAITING'
) numbered
ON queue_entries.queue_id = numbered.queue_id AND queue_entries.joined_at = numbered.joined_at
SET queue_entries.ticket = numbered.ticket;

UPDATE waiting_queues SET last_ticket = waiting WHERE lanes = '';
