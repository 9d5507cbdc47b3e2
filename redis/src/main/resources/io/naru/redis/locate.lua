-- locate: where these users stand.
-- KEYS  as in queue.lua
-- ARGV  users, at most 512
-- reply nothing if there is no such queue; else
--       change, waiting, entryBatchSize, entryIntervalSeconds, targetUrl,
--       then per user: status, ahead, joined, entered, expires; status is
--       0 unknown   1 WAITING   2 ENTERED   3 COMPLETED   4 EXPIRED
local s = redis.call('HMGET', SETTINGS, 'active', 'entryBatchSize', 'entryIntervalSeconds', 'targetUrl')
if not s[1] then
  return {}
end
local reply = {
  tonumber(redis.call('HGET', STATE, 'change') or 0), redis.call('ZCARD', WAITING),
  tonumber(s[2]), tonumber(s[3]), s[4] or '' }
local n = #reply

local function answer(status, ahead, joined, entered, expires)
  reply[n + 1] = status
  reply[n + 2] = ahead
  reply[n + 3] = joined
  reply[n + 4] = entered
  reply[n + 5] = expires
  n = n + 5
end

local scores = redis.call('ZMSCORE', WAITING, unpack(ARGV))
local at
for i, user in ipairs(ARGV) do
  if scores[i] then
    answer(1, redis.call('ZRANK', WAITING, user), tonumber(scores[i]) % BAND, 0, 0)
  else
    at = at or now()
    local record = redis.call('HGET', ENTRIES, user)
    local r = record and read_record(record)
    if not r or is_forgotten(r, at) then
      answer(0, 0, 0, 0, 0)
    elseif r.status == 'ENTERED' then
      answer(r.expires > at and 2 or 4, 0, r.joined, r.entered, r.expires)
    else
      answer(r.status == 'COMPLETED' and 3 or 4, 0, r.joined, r.entered, r.expires)
    end
  end
end
return reply
