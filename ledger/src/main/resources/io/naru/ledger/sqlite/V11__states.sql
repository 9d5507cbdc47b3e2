-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues RENAME COLUMN is_active TO entry_open;
ALTER TABLE waiting_queues ADD COLUMN admission_paused BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE waiting_queues ADD COLUMN paused_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE waiting_queues ADD COLUMN queue_ended_at INTEGER NOT NULL DEFAULT 0;

UPDATE waiting_queues SET admission_paused = NOT entry_open;
