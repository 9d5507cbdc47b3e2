-- What systems behind were told last: whether people may enter; and when a time makes that different or ends the queue (the largest
-- number if none does). Once a second every server looks for those whose time has come, so there is an index of them. Until here only acts
-- were told, and of those that have times nothing else is known: they are looked at once.
ALTER TABLE waiting_queues
  ADD COLUMN told_open boolean NOT NULL DEFAULT false,
  ADD COLUMN told_until bigint NOT NULL DEFAULT 9223372036854775807;
UPDATE waiting_queues SET told_open = true WHERE entry_open;
UPDATE waiting_queues SET told_until = 0 WHERE queue_ended_at = 0
  AND (settings LIKE '%"opensAt":"%' OR settings LIKE '%"closesAt":"%' OR settings LIKE '%"endsAt":"%');
CREATE INDEX waiting_queues_told ON waiting_queues (told_until);
