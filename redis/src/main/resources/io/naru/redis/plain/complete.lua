-- complete: somebody inside is done; their place inside is free again.
-- KEYS  as in queue.lua
-- ARGV  1 user  2 when the entry joined  3 the most finished entries to keep
--       4 who says so: VISITOR or SITE
-- reply 1 completed, now or before   2 waiting, or expired   3 only the site may   0 no such entry; then room (1 or 0)
local user, joined = ARGV[1], tonumber(ARGV[2])
local at = now()
local score = redis.call('ZSCORE', WAITING, user)
if score then
  return { tonumber(score) == joined and 2 or 0, 0 }
end
local record = redis.call('HGET', ENTRIES, user)
local r = record and read_record(record)
if not r or r.joined ~= joined or is_forgotten(r, at) then
  return { 0, 0 }
end
if r.status == 'COMPLETED' then
  return { 1, 0 }
end
if r.status == 'EXPIRED' or r.expires <= at then
  return { 2, 0 }
end
if ARGV[4] == 'VISITOR' and redis.call('HGET', SETTINGS, 'completedBy') == 'SITE' then
  return { 3, 0 }
end
end_record(user, r, 'COMPLETED', at)
redis.call('HSET', ENTRIES, user, write_record(r))
redis.call('ZREM', ENTERED, user)
redis.call('ZADD', FINISHED, text(last_needed(r, is_once())), user)
forget(at, 2, tonumber(ARGV[3]))
redis.call('HINCRBY', STATE, 'completed', 1)
moved(0, '')
return { 1, has_room(at) }
