-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN is_busy BOOLEAN NOT NULL GENERATED ALWAYS AS (waiting > 0 OR inside > 0) VIRTUAL;
CREATE INDEX waiting_queues_busy ON waiting_queues (event_type, event_id) WHERE is_busy;

ALTER TABLE waiting_queues ADD COLUMN changed_minute INTEGER NOT NULL DEFAULT 0;
CREATE INDEX waiting_queues_changed ON waiting_queues (changed_minute, event_type, event_id);
