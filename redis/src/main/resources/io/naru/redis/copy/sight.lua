-- sight: where these users stand in a copy.
-- KEYS  as in queue.lua
-- ARGV  1 ledger  2.. users, at most 512
-- reply nothing if the copy is lost; else
--       the line's state as in queue.lua,
--       then per user a status and what belongs to it:
--       0 not in this copy   6 WAITING: ticket, ahead, score, whose time is when they joined
--       2 ENTERED: joined, entered, expires   5 WAITING: ticket, ahead, score, joined
local change, apart, lanes, lasts, gone, waiting = change_of(ARGV[1])
local before = before_lanes(lanes)
local reply = change and line_state(change, lanes)
if not reply then
  return {}
end
local known, fronts = ranges(lanes, lasts, gone, waiting), {}
for _, range in ipairs(known or {}) do
  fronts[range[1]] = range[2]
end
local n = #reply
local scores = redis.call('ZMSCORE', WAITING, unpack(ARGV, 2))
for i, score in ipairs(scores) do
  local user = ARGV[i + 1]
  if score then
    local joined = apart > 0 and redis.call('HGET', JOINED, user)
    local band = before and band_of(tonumber(score)) or 0
    local ahead = redis.call('ZRANK', WAITING, user) - (before and before[band] or 0)
    reply[n + 1] = joined and 5 or 6
    local front = fronts[band]
    reply[n + 2] = front and (gone > 0 and ticket_at(front, band, score, ahead) or front + ahead) or 0
    reply[n + 3] = ahead
    reply[n + 4] = tonumber(score)
    n = n + 4
    if joined then
      n = n + 1
      reply[n] = tonumber(joined)
    end
  else
    local record = redis.call('HGET', ENTRIES, user)
    if record then
      local r = read_record(record)
      reply[n + 1] = 2
      reply[n + 2] = r.joined
      reply[n + 3] = r.entered
      reply[n + 4] = r.expires
      n = n + 4
    else
      n = n + 1
      reply[n] = 0
    end
  end
end
return reply
