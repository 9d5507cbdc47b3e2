-- The same as for PostgreSQL, where it is explained.
ALTER TABLE queue_entries ADD COLUMN cut_at INTEGER NOT NULL DEFAULT 0;
