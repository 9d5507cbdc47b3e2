-- Whether anybody waits or is inside. Once a second every server looks for what is due among the queues that
-- are busy, and only there. A column of its own: an index that named the counts would be written with every
-- change of them.
ALTER TABLE waiting_queues ADD COLUMN is_busy boolean NOT NULL GENERATED ALWAYS AS (waiting > 0 OR inside > 0) STORED;
CREATE INDEX waiting_queues_busy ON waiting_queues (event_type, event_id) WHERE is_busy;

-- In which minute since 2026-01-01 the queue changed last: the copy of one that has just become empty is still
-- compared for a while. By the minute, so that the index is seldom written.
ALTER TABLE waiting_queues ADD COLUMN changed_minute bigint NOT NULL DEFAULT 0;
CREATE INDEX waiting_queues_changed ON waiting_queues (changed_minute, event_type, event_id);
