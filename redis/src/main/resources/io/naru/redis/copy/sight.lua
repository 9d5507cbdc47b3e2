-- sight: where these users stand in a copy.
-- KEYS  as in queue.lua
-- ARGV  1 ledger  2.. users, at most 512
-- reply nothing if the copy is lost; else
--       the line's state as in queue.lua,
--       then per user a status and what belongs to it:
--       0 not in this copy   6 WAITING: ticket, ahead, score, whose time is when they joined
--       2 ENTERED: joined, entered, expires   5 WAITING: ticket, ahead, score, joined
local change, apart, lanes, lasts, gone, all = change_of(ARGV[1])
local reply = change and line_state(change, lanes)
if not reply then
  return {}
end
local waiting, before = by_band(lanes)
local last, fronts = read_lasts(lasts), {}
-- The first ticket of a band; false if nobody has one there.
local function front_in(band)
  local count = not waiting and all or waiting[band]
  return last and count and not is_unsettled(band)
    and last[band] + 1 - count - (gone > 0 and redis.call('ZCOUNT', GONE, reach(band)) or 0) or false
end
local n = #reply
local scores = redis.call('ZMSCORE', WAITING, unpack(ARGV, 2))
for i, found in ipairs(scores) do
  local user = ARGV[i + 1]
  if found then
    local score = tonumber(found)
    local joined = apart > 0 and redis.call('HGET', JOINED, user)
    local band = before and band_of(score) or 0
    local ahead = redis.call('ZRANK', WAITING, user) - (before and before[band] or 0)
    local front = fronts[band]
    if front == nil then
      front = front_in(band)
      fronts[band] = front
    end
    reply[n + 1] = joined and 5 or 6
    reply[n + 2] = front and (gone > 0 and ticket_at(front, band, found, ahead) or front + ahead) or 0
    reply[n + 3] = ahead
    reply[n + 4] = score
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
