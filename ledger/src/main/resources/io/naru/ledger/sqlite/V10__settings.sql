-- The same as for PostgreSQL, where it is explained.
ALTER TABLE waiting_queues ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE waiting_queues ADD COLUMN room_from INTEGER NOT NULL DEFAULT 9223372036854775807;

UPDATE waiting_queues SET
  settings = json_object(
    'maxCapacity', max_capacity,
    'entryBatchSize', entry_batch_size,
    'entryIntervalSeconds', entry_interval_seconds,
    'passTtlSeconds', pass_ttl_seconds,
    'onExpiry', on_expiry,
    'once', json(iif(once, 'true', 'false')),
    'completedBy', completed_by,
    'maxWaiting', max_waiting,
    'newPlacesPerMinute', new_places_per_minute,
    'title', title,
    'targetUrl', target_url,
    'color', color,
    'logoUrl', logo_url,
    'message', message,
    'audience', audience),
  room_from = CASE
    WHEN NOT is_active OR waiting = 0 OR inside >= max_capacity THEN 9223372036854775807
    WHEN tokens > 0 THEN 0
    ELSE refilled_at + entry_interval_seconds * 1000000 END;

ALTER TABLE waiting_queues DROP COLUMN max_capacity;
ALTER TABLE waiting_queues DROP COLUMN entry_batch_size;
ALTER TABLE waiting_queues DROP COLUMN entry_interval_seconds;
ALTER TABLE waiting_queues DROP COLUMN pass_ttl_seconds;
ALTER TABLE waiting_queues DROP COLUMN on_expiry;
ALTER TABLE waiting_queues DROP COLUMN once;
ALTER TABLE waiting_queues DROP COLUMN completed_by;
ALTER TABLE waiting_queues DROP COLUMN max_waiting;
ALTER TABLE waiting_queues DROP COLUMN new_places_per_minute;
ALTER TABLE waiting_queues DROP COLUMN title;
ALTER TABLE waiting_queues DROP COLUMN target_url;
ALTER TABLE waiting_queues DROP COLUMN color;
ALTER TABLE waiting_queues DROP COLUMN logo_url;
ALTER TABLE waiting_queues DROP COLUMN message;
ALTER TABLE waiting_queues DROP COLUMN audience;
