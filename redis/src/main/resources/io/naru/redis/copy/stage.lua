-- stage: adds a part to a copy that is being built.
-- KEYS  as in queue.lua and tickets.lua, with all but settings, finished, moves and over of the builder's own
-- ARGV  1 number of the part, from 1  2 how long an unfinished copy is kept, in seconds; then lists, each with
--       its length first: out: user   inside: user, joined, entered, expires   waiting: user, score, joined as in copy.lua, ticket, by ticket
-- reply the number   nothing if this part is not the next, because it comes again or what was before is gone
local number = tonumber(ARGV[1])
local s = redis.call('HMGET', STATE, 'parts', 'lasts')
if tonumber(s[1] or 0) ~= number - 1 then
  return {}
end
local refusal = refuse_if_tight()
if refusal then
  return refusal
end
local out, inside, waiting, next_
out, next_ = values_at(3, 1)
inside, next_ = values_at(next_, 4)
waiting, next_ = values_at(next_, 4)

-- Who leaves the line, or stands elsewhere now.
local leaving, scores, places = {}, {}, {}
local named = {}
for _, user in ipairs(out) do
  named[#named + 1] = user
end
for i = 1, #inside, 4 do
  named[#named + 1] = inside[i]
end
for i = 1, #waiting, 4 do
  places[waiting[i]] = tonumber(waiting[i + 1])
  named[#named + 1] = waiting[i]
end
in_chunks(named, CHUNK, function(...)
  local found = redis.call('ZMSCORE', WAITING, ...)
  for i, user in ipairs({ ... }) do
    if found[i] and not scores[user] and tonumber(found[i]) ~= places[user] then
      leaving[#leaving + 1] = user
      scores[user] = found[i]
    end
  end
end)
local last = read_lasts(s[2])
settle(leave_middle(leaving, scores, last), last)
-- Who took a place over may be named before whoever had it.
for i = 1, #waiting, 4 do
  local user, score = waiting[i], waiting[i + 1]
  local before = is_apart(score, waiting[i + 2]) and redis.call('ZRANGEBYSCORE', WAITING, score, score)[1]
  if before and before ~= user then
    redis.call('ZREM', WAITING, before)
    redis.call('ZADD', WAITING, score, user)
    forget_joined({ before })
  end
end
forget_joined(named)
forget_inside(out)
add_inside(inside)
arrive(waiting, last)
redis.call('HSET', STATE, 'parts', number, 'lasts', (noted(last, 1)))
for _, key in ipairs({ STATE, WAITING, ENTERED, ENTRIES, JOINED, GONE, TICKETS }) do
  redis.call('EXPIRE', key, ARGV[2])
end
return { number }
