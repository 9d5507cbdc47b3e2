-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN tokens_rest INTEGER NOT NULL DEFAULT 0;
