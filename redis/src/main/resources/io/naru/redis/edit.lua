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
redis.call('HSET', SETTINGS, 'version', ARGV[2], unpack(ARGV, 4))
if version == 0 then
  redis.call('HSET', SETTINGS, 'createdAt', text(at), 'active', '0')
  -- Nobody joins before the queue was made, whatever the clock does.
  redis.call('HSET', STATE, 'last', text(at - 1))
end
local active = redis.call('HGET', SETTINGS, 'active') == '1'
if ARGV[3] == 'ACTIVATE' and not active then
  redis.call('HSET', SETTINGS, 'active', '1', 'activatedAt', text(at))
  redis.call('HSET', STATE,
    'tokens', redis.call('HGET', SETTINGS, 'entryBatchSize'), 'refilled', text(at))
elseif ARGV[3] == 'DEACTIVATE' and active then
  redis.call('HSET', SETTINGS, 'active', '0', 'deactivatedAt', text(at))
end
return { 1, has_room(at) }
