-- locate: where these users stand.
-- KEYS  as in queue.lua
-- ARGV  users, at most 512
-- reply nothing if there is no such queue; else
--       the line's state as in queue.lua,
--       then per user a status and what belongs to it:
--       0 unknown   1 WAITING: ahead, joined   2 ENTERED, 3 COMPLETED, 4 EXPIRED: joined, entered, expires
local reply = line_state()
if not reply then
  return {}
end
local n = #reply

local function beyond(status, r)
  reply[n + 1] = status
  reply[n + 2] = r.joined
  reply[n + 3] = r.entered
  reply[n + 4] = r.expires
  n = n + 4
end

local scores = redis.call('ZMSCORE', WAITING, unpack(ARGV))
local at
for i, user in ipairs(ARGV) do
  if scores[i] then
    reply[n + 1] = 1
    reply[n + 2] = redis.call('ZRANK', WAITING, user)
    reply[n + 3] = tonumber(scores[i])
    n = n + 3
  else
    at = at or now()
    local record = redis.call('HGET', ENTRIES, user)
    local r = record and read_record(record)
    if not r or is_forgotten(r, at) then
      n = n + 1
      reply[n] = 0
    elseif r.status == 'ENTERED' then
      beyond(r.expires > at and 2 or 4, r)
    else
      beyond(r.status == 'COMPLETED' and 3 or 4, r)
    end
  end
end
return reply
