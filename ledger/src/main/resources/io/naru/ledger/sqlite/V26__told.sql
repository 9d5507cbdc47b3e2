-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN told_open BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE waiting_queues ADD COLUMN told_until INTEGER NOT NULL DEFAULT 9223372036854775807;
UPDATE waiting_queues SET told_open = TRUE WHERE entry_open;
UPDATE waiting_queues SET told_until = 0 WHERE queue_ended_at = 0
  AND (settings LIKE '%"opensAt":"%' OR settings LIKE '%"closesAt":"%' OR settings LIKE '%"endsAt":"%');
CREATE INDEX waiting_queues_told ON waiting_queues (told_until);
