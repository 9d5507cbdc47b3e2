-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN completed_by TEXT NOT NULL DEFAULT 'VISITOR';

CREATE INDEX queue_entries_over ON queue_entries (queue_id - 0, expires_at)
  WHERE live IS NULL AND expires_at > ended_at;
