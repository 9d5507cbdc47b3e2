-- over: turns that were over before their pass was, the last first, so that what is new comes first.
-- KEYS  as in queue.lua
-- ARGV  1 only of later changes than this   2 how many at the end of the list to pass over   3 the most to tell
-- reply nothing if there is no such queue; else
--       createdAt, change, whether there may be more before them (1 or 0),
--       then per turn: change, joined, entered, expires, user
local created = redis.call('HGET', SETTINGS, 'createdAt')
if not created then
  return {}
end
local after, passed, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local change = tonumber(redis.call('HGET', STATE, 'change') or 0)
if after > change then
  after = 0
end
local at = now()
local turns = redis.call('LRANGE', OVER, -passed - most, -passed - 1)
local reply = { tonumber(created), change, #turns == most and 1 or 0 }
for i = #turns, 1, -1 do
  local of, joined, entered, expires, user = string.match(turns[i], '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  if tonumber(of) <= after then
    reply[3] = 0
    break
  end
  if tonumber(expires) > at then
    reply[#reply + 1] = tonumber(of)
    reply[#reply + 1] = tonumber(joined)
    reply[#reply + 1] = tonumber(entered)
    reply[#reply + 1] = tonumber(expires)
    reply[#reply + 1] = user
  end
end
return reply
