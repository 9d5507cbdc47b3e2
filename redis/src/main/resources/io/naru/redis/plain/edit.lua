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
local NAMES = { 'entryBatchSize', 'entryIntervalSeconds', 'pacing', 'burst', 'activatedAt' }
local before = redis.call('HMGET', SETTINGS, unpack(NAMES))
local opened = before[5]
redis.call('HDEL', SETTINGS, unpack(BEFORE))
redis.call('HSET', SETTINGS, 'version', ARGV[2], unpack(ARGV, 4))
local after = redis.call('HMGET', SETTINGS, unpack(NAMES))
if version == 0 then
  redis.call('HSET', SETTINGS, 'createdAt', text(at), 'active', '0')
  -- Nobody joins before the queue was made, whatever the clock does.
  redis.call('HSET', STATE, 'last', text(at - 1))
end
local p = pacing_of(unpack(after))
if opened then
  -- What is left stays, and so do the part of an interval that is over and what it has earned, or less (Allowance.repaced).
  local from = pacing_of(unpack(before))
  local units, refilled, kept = read_allowance(from)
  units, refilled = allowance(at, from, units, refilled)
  local tokens = math.floor(units / from.interval)
  local rest = math.floor((units - tokens * from.interval) * after[2] / before[2])
  local over = math.floor((at - refilled) * after[2] / before[2])
  units = math.min(tokens * p.interval + rest, p.most)
  tokens = math.min(tokens, p.most / p.interval)
  if p.batch <= from.batch then
    units = math.min(units + over * (from.batch - p.batch), math.max(tokens, 0) * p.interval + p.interval - 1)
  elseif tokens > 0 then
    over = math.floor(over * from.batch / p.batch)
  else
    units = units - over * (p.batch - from.batch)
  end
  write_allowance(p, units, at - over, kept)
end
local active = redis.call('HGET', SETTINGS, 'active') == '1'
if ARGV[3] == 'ACTIVATE' and not active then
  redis.call('HSET', SETTINGS, 'active', '1', 'activatedAt', text(at))
  if not opened then
    write_allowance(p, p.most, at, {})
  end
elseif ARGV[3] == 'DEACTIVATE' and active then
  redis.call('HSET', SETTINGS, 'active', '0', 'deactivatedAt', text(at))
end
return { 1, has_room(at) }
