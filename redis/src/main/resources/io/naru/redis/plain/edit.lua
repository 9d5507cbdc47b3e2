-- edit: writes a queue's settings, unless somebody else did in between.
-- KEYS  as in queue.lua
-- ARGV  1 the version that was read, 0 if there was no queue  2 the version to write
--       3 KEEP, ACTIVATE or DEACTIVATE  4.. setting, value, setting, value, …
-- reply {1, room} written   {0, version} it is at another version
local version = tonumber(redis.call('HGET', SETTINGS, 'version') or 0)
if version ~= tonumber(ARGV[1]) then
  return { 0, version }
end
local at = now()
local before = redis.call('HMGET', SETTINGS, 'entryBatchSize', 'entryIntervalSeconds', 'activatedAt')
redis.call('HDEL', SETTINGS, unpack(BEFORE))
redis.call('HSET', SETTINGS, 'version', ARGV[2], unpack(ARGV, 4))
local after = redis.call('HMGET', SETTINGS, 'entryBatchSize', 'entryIntervalSeconds')
if version == 0 then
  redis.call('HSET', SETTINGS, 'createdAt', text(at), 'active', '0')
  -- Nobody joins before the queue was made, whatever the clock does.
  redis.call('HSET', STATE, 'last', text(at - 1))
end
local opened = before[3]
if opened and (before[1] ~= after[1] or before[2] ~= after[2]) then
  -- What is left stays, and so does the part of the interval that is over (Allowance.repaced).
  local pace = redis.call('HMGET', STATE, 'tokens', 'refilled')
  local tokens, refilled = allowance(
    at, tonumber(before[1]), before[2] * SECOND, tonumber(pace[1] or 0), tonumber(pace[2] or 0))
  local over = math.floor((at - refilled) * after[2] / before[2])
  redis.call('HSET', STATE, 'tokens', math.min(tokens, tonumber(after[1])), 'refilled', text(at - over))
end
local active = redis.call('HGET', SETTINGS, 'active') == '1'
if ARGV[3] == 'ACTIVATE' and not active then
  redis.call('HSET', SETTINGS, 'active', '1', 'activatedAt', text(at))
  if not opened then
    redis.call('HSET', STATE, 'tokens', after[1], 'refilled', text(at))
  end
elseif ARGV[3] == 'DEACTIVATE' and active then
  redis.call('HSET', SETTINGS, 'active', '0', 'deactivatedAt', text(at))
end
return { 1, has_room(at) }
