-- earlier: how an entry ended whose user has a later one, as far as that is known.
-- KEYS  as in queue.lua
-- ARGV  1 user  2 when the entry joined
-- reply nothing if there is no such queue; else
--       change, waiting, entryBatchSize, entryIntervalSeconds, targetUrl, audience, then
--       0 unknown   3 COMPLETED, 4 EXPIRED: joined, entered, expires
local s = redis.call('HMGET', SETTINGS, 'active', 'entryBatchSize', 'entryIntervalSeconds', 'targetUrl', 'audience')
if not s[1] then
  return {}
end
local reply = {
  tonumber(redis.call('HGET', STATE, 'change') or 0), redis.call('ZCARD', WAITING),
  tonumber(s[2]), tonumber(s[3]), s[4] or '', s[5] or '', 0 }
local record = redis.call('HGET', ENTRIES, ARGV[1])
local r = record and read_record(record)
if r and r.joined == tonumber(ARGV[2]) and r.status ~= 'ENTERED' and not is_forgotten(r, now()) then
  reply[7] = r.status == 'COMPLETED' and 3 or 4
  reply[8], reply[9], reply[10] = r.joined, r.entered, r.expires
end
return reply
