-- admit: those who overstayed inside expire, then the first of the line go in; where that is the rule, those
-- who expired stand at its end then. Capacity, rate, order and once-only hold because this is one atomic
-- step, whoever asks and however often.
-- KEYS  as in queue.lua
-- ARGV  1 how many by hand, beside the allowance; 0 for the paced beat
--       2 the most to move in one step, at most 1000
--       3 the most finished entries to keep
-- reply nothing if there is no such queue; else 9 figures as in queue.lua, then one of
--       'inactive', expired
--       'done', expired, more (1 or 0), until the next refill, entered, expires,
--               then per admitted: user, joined
local function reply(at, ...)
  local values = figures(at)
  for _, value in ipairs({ ... }) do
    values[#values + 1] = value
  end
  return values
end

local by_hand, step = tonumber(ARGV[1]), tonumber(ARGV[2])
local s = redis.call('HMGET', SETTINGS,
  'active', 'maxCapacity', 'passTtlSeconds', 'onExpiry',
  'entryBatchSize', 'entryIntervalSeconds', 'pacing', 'burst')
if not s[1] then
  return {}
end
local capacity, ttl = tonumber(s[2]), s[3] * SECOND
local p = pacing_of(s[5], s[6], s[7], s[8])
local at = now()
local units, refilled, kept = read_allowance(p)
local entered_at = tonumber(kept[4] or 0)

-- Moves people out of `entered`, or within it, with new records. Where a record is lost, evicted or
-- deleted by hand, there is nothing to write, and the line goes on all the same.
local function rewrite(users, change_record)
  local records = redis.call('HMGET', ENTRIES, unpack(users))
  local changed = {}
  for i, user in ipairs(users) do
    if records[i] then
      local r = read_record(records[i])
      change_record(r, user)
      changed[#changed + 1] = user
      changed[#changed + 1] = write_record(r)
    end
  end
  if #changed > 0 then
    redis.call('HSET', ENTRIES, unpack(changed))
  end
end

local function zadd(key, score, users)
  local pairs_ = {}
  for _, user in ipairs(users) do
    pairs_[#pairs_ + 1] = text(score)
    pairs_[#pairs_ + 1] = user
  end
  redis.call('ZADD', key, unpack(pairs_))
end

-- Somebody went in later than now: the clock went back. Nobody may stay longer than one pass life
-- because of it; step by step, until nobody is left who would.
if at < entered_at then
  local far = redis.call('ZRANGEBYSCORE', ENTERED, '(' .. text(at + ttl), '+inf', 'LIMIT', 0, step)
  if #far > 0 then
    rewrite(far, function(r) r.expires = at + ttl end)
    zadd(ENTERED, at + ttl, far)
  end
  if #far < step then
    entered_at = at
    redis.call('HSET', STATE, 'enteredAt', text(entered_at))
  end
end

local over = redis.call('ZRANGEBYSCORE', ENTERED, '-inf', text(at), 'LIMIT', 0, step)
local joined_of = {}
if #over > 0 then
  rewrite(over, function(r, user)
    end_record(user, r, 'EXPIRED', at)
    joined_of[user] = r.joined
  end)
  redis.call('ZREM', ENTERED, unpack(over))
  zadd(FINISHED, at, over)
  redis.call('HINCRBY', STATE, 'expired', #over)
end

forget(at, step, tonumber(ARGV[3]))
forget_over(at, step)

-- Behind everybody, in the order in which they stood before; who has lost their record, last of them.
local function requeue()
  if s[4] == 'REQUEUE' then
    table.sort(over, function(a, b)
      local of_a, of_b = joined_of[a] or math.huge, joined_of[b] or math.huge
      if of_a == of_b then
        return a < b
      end
      return of_a < of_b
    end)
    local last, new = last_score(), {}
    for _, user in ipairs(over) do
      last = math.max(last + 1, at)
      new[#new + 1] = text(last)
      new[#new + 1] = user
    end
    append(new, last)
  end
end

if s[1] ~= '1' then
  if #over > 0 then
    requeue()
    moved(0, '')
  end
  return reply(at, 'inactive', #over)
end

units, refilled = allowance(at, p, units, refilled)
local tokens = math.max(0, math.floor(units / p.interval))
local inside = redis.call('ZCARD', ENTERED)
local wanted = by_hand > 0 and by_hand or tokens
local n = math.max(0, math.min(step, capacity - inside, wanted))
local first = n > 0 and redis.call('ZPOPMIN', WAITING, n) or {}
local admitted = #first / 2
if by_hand == 0 then
  units = units - admitted * p.interval
end
-- A bucket can be refilled whenever somebody looks; it is written down when something is taken out.
if p.in_steps or admitted > 0 or at < tonumber(kept[3] or 0) then
  write_allowance(p, units, refilled, kept)
end

local entries = {}
if admitted > 0 then
  local users = {}
  for i = 1, #first, 2 do
    users[#users + 1] = first[i]
  end
  local earlier = redis.call('HMGET', ENTRIES, unpack(users))
  local records, returned = {}, {}
  for i, user in ipairs(users) do
    local joined = tonumber(first[2 * i])
    local r = { status = 'ENTERED', joined = joined, entered = at, expires = at + ttl, ended = 0, recent = {} }
    if earlier[i] then
      local before = read_record(earlier[i])
      set_aside(user, before, at)
      r.recent = before.recent
      returned[#returned + 1] = user
    end
    records[#records + 1] = user
    records[#records + 1] = write_record(r)
    entries[#entries + 1] = user
    entries[#entries + 1] = joined
  end
  redis.call('HSET', ENTRIES, unpack(records))
  zadd(ENTERED, at + ttl, users)
  if #returned > 0 then
    redis.call('ZREM', FINISHED, unpack(returned))
  end
  redis.call('HINCRBY', STATE, 'entered', admitted)
  redis.call('HSET', STATE, 'enteredAt', text(math.max(entered_at, at)))
end
requeue()
if admitted > 0 or #over > 0 then
  moved(admitted, '')
end

local more = #over == step
  or (redis.call('ZCARD', WAITING) > 0 and math.min(capacity - inside, wanted) > admitted)
local done = reply(at, 'done', #over, more and 1 or 0, next_refill(p, units, refilled) - at, at, at + ttl)
for _, value in ipairs(entries) do
  done[#done + 1] = value
end
return done
