-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN on_expiry TEXT NOT NULL DEFAULT 'END';
ALTER TABLE waiting_queues ADD COLUMN once BOOLEAN NOT NULL DEFAULT FALSE;
