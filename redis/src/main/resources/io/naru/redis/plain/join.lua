-- join: gives these users places at the end of the line, in this order.
-- KEYS  as in queue.lua
-- ARGV  users, at most 512, repeats allowed
-- reply nothing if there is no such queue; else
--       the line's state as in queue.lua,
--       then per user an outcome and what belongs to it:
--        1 a new place, 2 waiting already: ahead, joined     3 inside already: joined, entered, expires
--        4 has completed, which may be done once only: joined, entered, expires
--       -1 not active   -2 line full   -3 too often: seconds until it may be tried again;
--       then room (1 or 0)
local s = redis.call('HMGET', SETTINGS, 'active', 'maxWaiting', 'newPlacesPerMinute', 'onExpiry', 'once')
if not s[1] then
  return {}
end
local active, max_waiting, limit = s[1] == '1', tonumber(s[2]), tonumber(s[3])
local requeues, once = s[4] == 'REQUEUE', s[5] == 'true'
local at = now()
local scores = redis.call('ZMSCORE', WAITING, unpack(ARGV))
local records = redis.call('HMGET', ENTRIES, unpack(ARGV))
local waiting = redis.call('ZCARD', WAITING)
local last = last_score()

local answers = {}
local new = {}
local asked = {}
local expired = 0

local function answer(...)
  answers[#answers + 1] = { ... }
end

local function expire(user, r)
  end_record(user, r, 'EXPIRED', at)
  redis.call('ZREM', ENTERED, user)
  expired = expired + 1
end

-- Somebody who was here before: true if they may have a new place; keeps what the enter limit needs.
local function may_return(user, r)
  if r.status == 'ENTERED' then
    expire(user, r)
  end
  r.recent = recent_of(r.recent, at)
  if limit > 0 and #r.recent >= limit then
    redis.call('HSET', ENTRIES, user, write_record(r))
    redis.call('ZADD', FINISHED, text(r.ended), user)
    answer(-3, math.ceil((r.recent[#r.recent - limit + 1] + MINUTE - at) / SECOND))
    return false
  end
  set_aside(user, r, at)
  if #r.recent == 0 then
    redis.call('HDEL', ENTRIES, user)
    redis.call('ZREM', FINISHED, user)
  else
    r.status, r.joined, r.entered, r.expires, r.ended = 'WAITING', 0, 0, 0, at
    redis.call('HSET', ENTRIES, user, write_record(r))
    redis.call('ZADD', FINISHED, text(at), user)
  end
  return true
end

local function place(outcome, user)
  last = math.max(last + 1, at)
  new[#new + 1] = text(last)
  new[#new + 1] = user
  answer(outcome, waiting, last)
  waiting = waiting + 1
end

for i, user in ipairs(ARGV) do
  local record = records[i] and read_record(records[i])
  if asked[user] then
    -- The same user again in this batch: what was read before is no longer true for them.
    local first = answers[asked[user]]
    answer(first[1] == 1 and 2 or first[1], unpack(first, 2))
  elseif scores[i] then
    answer(2, redis.call('ZRANK', WAITING, user), tonumber(scores[i]))
  elseif record and record.status == 'ENTERED' and record.expires > at then
    answer(3, record.joined, record.entered, record.expires)
  elseif record and record.status == 'ENTERED' and requeues then
    expire(user, record)
    redis.call('HSET', ENTRIES, user, write_record(record))
    redis.call('ZADD', FINISHED, text(at), user)
    place(2, user)
  elseif record and once and record.status == 'COMPLETED' and record.ended + COMPLETED_KEPT > at then
    answer(4, record.joined, record.entered, record.expires)
  elseif not active then
    answer(-1)
  elseif waiting >= max_waiting then
    answer(-2)
  elseif not record or may_return(user, record) then
    place(1, user)
  end
  asked[user] = asked[user] or i
end

append(new, last)
if expired > 0 then
  redis.call('HINCRBY', STATE, 'expired', expired)
end
if #new > 0 or expired > 0 then
  moved(0, '')
end

local reply = line_state()
local n = #reply
for _, values in ipairs(answers) do
  for _, value in ipairs(values) do
    n = n + 1
    reply[n] = value
  end
end
reply[n + 1] = has_room(at)
return reply
