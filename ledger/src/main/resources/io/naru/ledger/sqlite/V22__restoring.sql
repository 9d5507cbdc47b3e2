-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN restoring TEXT;
