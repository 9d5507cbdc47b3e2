-- leave: gives one place up, in the line or inside.
-- KEYS  as in queue.lua
-- ARGV  1 user  2 when the entry joined  3 the most finished entries to keep
-- reply 1 left   0 no such entry; then room (1 or 0)
local user, joined = ARGV[1], tonumber(ARGV[2])
local at = now()
local score = redis.call('ZSCORE', WAITING, user)
local record = redis.call('HGET', ENTRIES, user)
local r = record and read_record(record)
local front, out = 0, ''

if score and tonumber(score) == joined then
  if redis.call('ZRANK', WAITING, user) == 0 then
    front = 1
  else
    out = score
  end
  redis.call('ZREM', WAITING, user)
  if r then
    set_aside(user, r, at)
  end
  r = r or { recent = {} }
  r.joined, r.entered, r.expires = joined, 0, 0
elseif r and r.status == 'ENTERED' and r.joined == joined and r.expires > at then
  redis.call('ZREM', ENTERED, user)
else
  return { 0, 0 }
end

end_record(user, r, 'LEFT', at)
if #r.recent > 0 then
  redis.call('HSET', ENTRIES, user, write_record(r))
  redis.call('ZADD', FINISHED, text(at), user)
else
  redis.call('HDEL', ENTRIES, user)
  redis.call('ZREM', FINISHED, user)
end
-- More than comes: without a beat in between, too, what is kept has a bound.
forget(at, 2, tonumber(ARGV[3]))
redis.call('HINCRBY', STATE, 'left', 1)
moved(front, out)
return { 1, has_room(at) }
