-- The same as for PostgreSQL, where it is explained; it can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  ADD COLUMN /*M! IF NOT EXISTS */ told_open boolean NOT NULL DEFAULT false,
  ADD COLUMN /*M! IF NOT EXISTS */ told_until bigint NOT NULL DEFAULT 9223372036854775807,
  ADD KEY /*M! IF NOT EXISTS */ waiting_queues_told (told_until);
UPDATE waiting_queues SET told_open = true WHERE entry_open;
UPDATE waiting_queues SET told_until = 0 WHERE queue_ended_at = 0
  AND (settings LIKE '%"opensAt":"%' OR settings LIKE '%"closesAt":"%' OR settings LIKE '%"endsAt":"%');
