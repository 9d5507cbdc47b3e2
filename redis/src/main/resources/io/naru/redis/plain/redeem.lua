-- redeem: binds somebody inside to the first session that asks.
-- KEYS  as in queue.lua
-- ARGV  1 user  2 when the entry joined  3 a hash of the session
-- reply 1 bound to this session, now or before   2 waiting, done, or expired   3 bound to another one
--       0 no such entry
local user, joined, session = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local at = now()
local score = redis.call('ZSCORE', WAITING, user)
if score then
  return { tonumber(score) == joined and 2 or 0 }
end
local record = redis.call('HGET', ENTRIES, user)
local r = record and read_record(record)
if not r or r.joined ~= joined or is_forgotten(r, at) then
  return { 0 }
end
if r.status ~= 'ENTERED' or r.expires <= at then
  return { 2 }
end
if r.session then
  return { r.session == session and 1 or 3 }
end
r.session = session
redis.call('HSET', ENTRIES, user, write_record(r))
return { 1 }
