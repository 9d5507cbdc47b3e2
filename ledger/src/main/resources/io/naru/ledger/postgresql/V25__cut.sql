-- Of a turn that was over while its visitor, who had come back after a failed payment, was to try again: when the passes end
-- that were made meanwhile, since gates know a pass by its end. expires_at is the end of those before. 0 for all others.
ALTER TABLE queue_entries ADD COLUMN cut_at bigint NOT NULL DEFAULT 0;
