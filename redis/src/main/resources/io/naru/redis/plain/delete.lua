-- delete: removes a queue with everybody in it.
-- KEYS  as in queue.lua
-- reply {1} removed   {0} there was none
local found = redis.call('EXISTS', SETTINGS)
redis.call('UNLINK', unpack(KEYS))
return { found }
