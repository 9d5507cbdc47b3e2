-- What the operator set, as one JSON object by the names that the API has. No statement asks for a single one.
ALTER TABLE waiting_queues ADD COLUMN settings text;

-- From when on people wait who could go in, if nobody does anything until then: 0 for at once, the highest number if
-- only somebody's act can make it so. Decided with every change of the queue.
ALTER TABLE waiting_queues ADD COLUMN room_from bigint;

UPDATE waiting_queues SET
  settings = json_build_object(
    'maxCapacity', max_capacity,
    'entryBatchSize', entry_batch_size,
    'entryIntervalSeconds', entry_interval_seconds,
    'passTtlSeconds', pass_ttl_seconds,
    'onExpiry', on_expiry,
    'once', once,
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
    ELSE refilled_at + entry_interval_seconds * 1000000::bigint END;

ALTER TABLE waiting_queues
  ALTER COLUMN settings SET NOT NULL,
  ALTER COLUMN room_from SET NOT NULL,
  DROP COLUMN max_capacity,
  DROP COLUMN entry_batch_size,
  DROP COLUMN entry_interval_seconds,
  DROP COLUMN pass_ttl_seconds,
  DROP COLUMN on_expiry,
  DROP COLUMN once,
  DROP COLUMN completed_by,
  DROP COLUMN max_waiting,
  DROP COLUMN new_places_per_minute,
  DROP COLUMN title,
  DROP COLUMN target_url,
  DROP COLUMN color,
  DROP COLUMN logo_url,
  DROP COLUMN message,
  DROP COLUMN audience;
