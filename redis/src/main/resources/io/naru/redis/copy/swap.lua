-- swap: puts a copy that was built into its place, unless a part of it is missing, or the one that is there
-- is whole and as new.
-- KEYS  as in queue.lua and tickets.lua, then the builder's own  12 state  13 waiting  14 entered  15 entries  16 joined
--       17 gone  18 tickets
-- ARGV  1 ledger  2 change  3 how many wait  4 how many are inside  5 lanes  6.. setting, value, setting, value, …
-- reply at which change the copy is now   nothing if it is lost
local ledger, built = ARGV[1], { KEYS[13], KEYS[14], KEYS[15], KEYS[16], KEYS[17], KEYS[18] }
local lasts = redis.call('HGET', KEYS[12], 'lasts') or ''
redis.call('UNLINK', KEYS[12])
local present = change_of(ledger)
local isComplete = redis.call('ZCARD', built[1]) == tonumber(ARGV[3])
  and redis.call('ZCARD', built[2]) == tonumber(ARGV[4])
  and redis.call('HLEN', built[3]) == tonumber(ARGV[4])
if (present and present >= tonumber(ARGV[2])) or not isComplete then
  redis.call('UNLINK', unpack(built))
  return present and { present } or {}
end
redis.call('UNLINK', SETTINGS, STATE, WAITING, ENTERED, ENTRIES, FINISHED, JOINED, GONE, TICKETS)
if redis.call('TYPE', MOVES).ok ~= 'stream' then
  redis.call('UNLINK', MOVES)
end
for i, key in ipairs({ WAITING, ENTERED, ENTRIES, JOINED, GONE, TICKETS }) do
  if redis.call('EXISTS', built[i]) == 1 then
    redis.call('RENAME', built[i], key)
    redis.call('PERSIST', key)
  end
end
redis.call('HSET', SETTINGS, unpack(ARGV, 6))
set_state(ledger, ARGV[2], ARGV[3], ARGV[4], ARGV[5], '', lasts, redis.call('ZCARD', GONE))
-- From nowhere: viewers must ask again.
redis.call('XADD', MOVES, 'MAXLEN', '~', MOVES_KEPT, '*',
  'from', '-1', 'to', ARGV[2], 'front', 0, 'out', '', 'waiting', ARGV[3])
return { tonumber(ARGV[2]) }
