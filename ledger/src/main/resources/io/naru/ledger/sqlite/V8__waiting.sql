-- The same as for PostgreSQL, where it is explained.
CREATE INDEX queue_entries_waiting ON queue_entries (queue_id - 0, score) WHERE status = 'WAITING';
