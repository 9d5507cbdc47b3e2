-- apply: takes a copy from one change to another, if it is at the first; never back to an earlier one.
-- KEYS  as in queue.lua
-- ARGV  1 ledger  2 from  3 to  4 how many wait then  5 how many are inside then  6 lanes then, as in copy.lua, or
--       empty, followed by lists, each with its length first:
--       settings: name, value   out: user   inside: user, joined, entered, expires
--       waiting: user, score, joined as in copy.lua, ticket, by ticket
-- reply at which change the copy is now   nothing if it is lost
local ledger, from, to = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if from == 0 and redis.call('EXISTS', SETTINGS, STATE, WAITING, ENTERED, ENTRIES, JOINED, GONE, TICKETS) == 0 then
  -- Before its first change a queue was empty, and so is its copy.
  set_state(ledger, 0, 0, 0, '', '', '', 0)
  redis.call('HSET', SETTINGS, 'copy', '1')
end
local change, apart, lanesBefore, lasts, goneBefore = change_of(ledger)
if not change then
  return {}
end
if change ~= from or to < from then
  return { change }
end

local lanes, next_ = ARGV[6], 7
local isLaned = lanes ~= '' or lanesBefore ~= ''
local settings, out, inside, waiting
settings, next_ = values_at(next_, 2)
out, next_ = values_at(next_, 1)
inside, next_ = values_at(next_, 4)
waiting, next_ = values_at(next_, 4)

local refusal = #waiting > 0 and refuse_if_tight()
if refusal then
  return refusal
end

if #settings > 0 then
  redis.call('DEL', SETTINGS)
  redis.call('HSET', SETTINGS, unpack(settings))
end

-- Who leaves the line, with their scores: those of the users named who are in it.
local leaving, scores = {}, {}
local named = {}
for _, user in ipairs(out) do
  named[#named + 1] = user
end
for i = 1, #inside, 4 do
  named[#named + 1] = inside[i]
end
-- Who stands then where they did not join: perhaps they have the place from somebody who leaves. Then nobody moves.
local takenOver, swaps = {}, {}
for i = 1, #out > 0 and #waiting or 0, 4 do
  if is_apart(waiting[i + 1], waiting[i + 2]) then
    takenOver[tonumber(waiting[i + 1])] = waiting[i]
  end
end
local function leaves(user, score)
  if score and takenOver[tonumber(score)] then
    swaps[#swaps + 1] = { user, score }
  elseif score and not scores[user] then
    leaving[#leaving + 1] = user
    scores[user] = score
  end
end
in_chunks(named, CHUNK, function(...)
  local found = redis.call('ZMSCORE', WAITING, ...)
  for i, user in ipairs({ ... }) do
    leaves(user, found[i])
  end
end)
-- Who was moved to another lane leaves the one before.
local comers, comersScores, moved = {}, {}, {}
for i = 1, isLaned and #waiting or 0, 4 do
  if waiting[i + 2] ~= '' then
    comers[#comers + 1] = waiting[i]
    comersScores[waiting[i]] = tonumber(waiting[i + 1])
  end
end
in_chunks(comers, CHUNK, function(...)
  local found = redis.call('ZMSCORE', WAITING, ...)
  for i, user in ipairs({ ... }) do
    if found[i] and tonumber(found[i]) ~= comersScores[user] then
      moved[#moved + 1] = user
      leaves(user, found[i])
    end
  end
end)

-- From the fronts as numbers, the others by their scores: what viewers need to move their places.
local front, touched = 0, { 0 }
if #leaving > 0 and not isLaned then
  for _, user in ipairs(redis.call('ZRANGE', WAITING, 0, #leaving - 1)) do
    if not scores[user] then
      break
    end
    scores[user] = nil
    front = front + 1
  end
  if front > 0 then
    redis.call('ZREMRANGEBYRANK', WAITING, 0, front - 1)
  end
elseif #leaving > 0 then
  local byBand, fronts = {}, {}
  for _, user in ipairs(leaving) do
    local band = band_of(tonumber(scores[user]))
    byBand[band] = (byBand[band] or 0) + 1
  end
  local first = {}
  touched = {}
  for band, count in pairs(byBand) do
    touched[#touched + 1] = band
    local from, upTo = text(band * BAND), '(' .. text((band + 1) * BAND)
    local inFront = 0
    for _, user in ipairs(redis.call('ZRANGEBYSCORE', WAITING, from, upTo, 'LIMIT', 0, count)) do
      if not scores[user] then
        break
      end
      scores[user] = nil
      first[#first + 1] = user
      inFront = inFront + 1
    end
    if inFront > 0 then
      fronts[#fronts + 1] = band .. ' ' .. inFront
    end
  end
  take_out(first)
  front = #fronts > 0 and table.concat(fronts, ';') or 0
end
local rest, outs = {}, {}
for _, user in ipairs(leaving) do
  if scores[user] then
    rest[#rest + 1] = user
    outs[#outs + 1] = text(tonumber(scores[user]))
  end
end
local last = read_lasts(lasts)
local bands = leave_middle(rest, scores, last)
if #leaving > #rest and goneBefore > 0 then
  bands = touched
end
settle(bands, last)
for _, swap in ipairs(swaps) do
  redis.call('ZREM', WAITING, swap[1])
  redis.call('ZADD', WAITING, swap[2], takenOver[tonumber(swap[2])])
  outs[#outs + 1] = '=' .. text(tonumber(swap[2]))
end
if apart > 0 then
  forget_joined(named)
  forget_joined(moved)
end
forget_inside(out)
add_inside(inside)
arrive(waiting, last)

set_state(ledger, ARGV[3], ARGV[4], ARGV[5], lanes, lanesBefore, noted(last, goneBefore))
redis.call('XADD', MOVES, 'MAXLEN', '~', MOVES_KEPT, '*',
  'from', ARGV[2], 'to', ARGV[3], 'front', front, 'out', table.concat(outs, ' '), 'waiting', ARGV[4])
if not change_of(ledger) then
  -- It does not add up: something was lost before. Nobody may read it any more.
  redis.call('DEL', STATE)
  return {}
end
return { to }
