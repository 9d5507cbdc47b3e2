-- Two facts and an end, where there was only active or not: whether people may enter, whether nobody is let in (with what
-- they are told about it), and when the queue ended, 0 if it has not.
ALTER TABLE waiting_queues RENAME COLUMN is_active TO entry_open;

ALTER TABLE waiting_queues
  ADD COLUMN admission_paused boolean NOT NULL DEFAULT true,
  ADD COLUMN paused_reason text NOT NULL DEFAULT '',
  ADD COLUMN queue_ended_at bigint NOT NULL DEFAULT 0;

UPDATE waiting_queues SET admission_paused = NOT entry_open;
