-- The same as for PostgreSQL, where it is explained; it can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE queue_entries ADD COLUMN /*M! IF NOT EXISTS */ cut_at bigint NOT NULL DEFAULT 0;
