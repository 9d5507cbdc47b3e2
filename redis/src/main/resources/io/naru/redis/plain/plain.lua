-- What the scripts of a queue share that Redis alone decides: its rules.

local SECOND = 1000000
local MINUTE = 60 * SECOND
local HOUR = 60 * MINUTE
-- How long it is known who completed, where that may be done once only.
local COMPLETED_KEPT = 30 * 24 * HOUR
-- Five minutes of 5,000 turns a second, and then some.
local OVER_KEPT = 2000000

-- Whether a record says nothing (any more) about an entry: it left, it waits again, or it ended an
-- hour ago and only has not been swept yet.
local function is_forgotten(r, at)
  return r.status == 'LEFT' or r.status == 'WAITING' or (r.status ~= 'ENTERED' and r.ended + HOUR <= at)
end

-- The joins of the last minute among these. What lies ahead is left from before the clock went back.
local function recent_of(times, at)
  local kept = {}
  for _, time in ipairs(times) do
    if time > at - MINUTE and time <= at then
      kept[#kept + 1] = time
    end
  end
  return kept
end

-- Forgets turns whose passes are over too; at most `step`, so that every call that adds one calls it with more.
local function forget_over(at, step)
  for _ = 1, step do
    local first = redis.call('LINDEX', OVER, 0)
    if not first or (tonumber(string.match(first, '^%d+ %d+ %d+ (%d+) ')) > at
        and redis.call('LLEN', OVER) <= OVER_KEPT) then
      return
    end
    redis.call('LPOP', OVER)
  end
end

-- Marks a record as ended; its join counts for the enter limit from now on. Every end of a turn comes through
-- here, so that none that comes before the end of its pass is missed.
local function end_record(user, r, status, at)
  if r.status == 'ENTERED' and r.expires > at then
    forget_over(at, 2)
    redis.call('RPUSH', OVER, string.format('%.0f %.0f %.0f %.0f %s',
      tonumber(redis.call('HGET', STATE, 'change') or 0) + 1, r.joined, r.entered, r.expires, user))
  end
  r.status = status
  r.ended = at
  r.session = nil
  r.recent = recent_of(r.recent, at)
  if r.joined > at - MINUTE then
    -- Scores run ahead of the clock when many arrive in one microsecond.
    r.recent[#r.recent + 1] = math.min(r.joined, at)
  end
end

-- Where it is kept how a user's earlier entry ended, for whoever comes with its token. No name has a blank.
local function earlier_of(user)
  return user .. ' '
end

-- Keeps how an entry ended whose user has a new one, for as long as it would have been known without that.
local function set_aside(user, r, at)
  if r.status ~= 'ENTERED' and not is_forgotten(r, at) then
    redis.call('HSET', ENTRIES, earlier_of(user), write_record(r))
    redis.call('ZADD', FINISHED, text(r.ended), earlier_of(user))
  end
end

local function is_once()
  return redis.call('HGET', SETTINGS, 'once') == 'true'
end

-- When a finished entry is listed as last needed: it is forgotten an hour after that.
local function last_needed(r, once)
  return r.ended + (once and r.status == 'COMPLETED' and COMPLETED_KEPT - HOUR or 0)
end

-- Of these, whose hour is over, those who must be forgotten now. Where one may enter once only, those who
-- completed before that was said are listed anew, for as long as the others.
local function forgettable(users, at)
  if not is_once() then
    return users
  end
  local records = redis.call('HMGET', ENTRIES, unpack(users))
  local rest, kept = {}, {}
  for i, user in ipairs(users) do
    local needed = records[i] and last_needed(read_record(records[i]), true) or 0
    if needed + HOUR > at then
      kept[#kept + 1] = text(needed)
      kept[#kept + 1] = user
    else
      rest[#rest + 1] = user
    end
  end
  if #kept > 0 then
    redis.call('ZADD', FINISHED, unpack(kept))
  end
  return rest
end

-- Forgets finished entries that were kept for an hour, or are more than `kept`; at most `step`.
local function forget(at, step, kept)
  local old = redis.call('ZRANGEBYSCORE', FINISHED, '-inf', text(at - HOUR), 'LIMIT', 0, step)
  if #old > 0 then
    old = forgettable(old, at)
  else
    local excess = redis.call('ZCARD', FINISHED) - kept
    if excess > 0 then
      old = redis.call('ZRANGE', FINISHED, 0, math.min(excess, step) - 1)
    end
  end
  if #old > 0 then
    redis.call('ZREM', FINISHED, unpack(old))
    redis.call('HDEL', ENTRIES, unpack(old))
  end
end

-- The rate, and how it may be spent (Pacing.java): one person costs `interval` units, a microsecond earns `batch`.
local function pacing_of(batch, interval, kind, burst)
  local p = { batch = tonumber(batch), interval = interval * SECOND }
  local in_steps = kind ~= 'TOKEN_BUCKET' and kind ~= 'LEAKY_BUCKET'
  local at_once = p.batch
  if kind == 'TOKEN_BUCKET' then
    at_once = tonumber(burst) or p.batch
  elseif kind == 'LEAKY_BUCKET' then
    at_once = math.ceil(p.batch / (10 * interval))
  end
  p.in_steps = in_steps
  p.most = at_once * p.interval
  -- A bucket is looked into when a twentieth of a second is worth it, else there were a step for everybody.
  p.portion = in_steps and p.interval or math.min(p.most, math.max(p.interval, p.batch * SECOND / 20))
  p.grain = in_steps and p.interval or 1
  return p
end

-- How long it takes to earn this.
local function micros_for(p, units)
  return math.ceil(math.ceil(units / p.batch) / p.grain) * p.grain
end

-- What is left of the allowance, in units, and up to when it was earned (Allowance.java says why so).
local function allowance(at, p, units, refilled)
  units = math.min(units, p.most)
  if at < refilled then
    return math.max(0, units), at
  end
  local elapsed = math.floor((at - refilled) / p.grain) * p.grain
  local missing = p.most - units
  return units + (elapsed >= micros_for(p, missing) and missing or elapsed * p.batch), refilled + elapsed
end

-- As it is kept: its units, up to when it was earned; and as it was read, with the latest admission.
local function read_allowance(p)
  local kept = redis.call('HMGET', STATE, 'tokens', 'rest', 'refilled', 'enteredAt')
  return tonumber(kept[1] or 0) * p.interval + tonumber(kept[2] or 0), tonumber(kept[3] or 0), kept
end

-- Whoever finds nothing to do leaves nothing to log and replicate.
local function write_allowance(p, units, refilled, kept)
  local tokens = math.floor(units / p.interval)
  local rest = units - tokens * p.interval
  if tokens ~= tonumber(kept[1] or -1) or rest ~= tonumber(kept[2] or 0) or refilled ~= tonumber(kept[3] or -1) then
    redis.call('HSET', STATE, 'tokens', text(tokens), 'refilled', text(refilled))
    if rest > 0 then
      redis.call('HSET', STATE, 'rest', text(rest))
    elseif kept[2] then
      redis.call('HDEL', STATE, 'rest')
    end
  end
end

-- When to look again if people still wait.
local function next_refill(p, units, refilled)
  if p.in_steps then
    return refilled + p.interval
  end
  local missing = p.portion - units
  return refilled + (missing <= 0 and SECOND or math.max(micros_for(p, missing), SECOND / 50))
end

-- Whether people wait who could go in now: the caller is told, so that they need not wait for a beat.
local function has_room(at)
  local s = redis.call(
    'HMGET', SETTINGS, 'active', 'maxCapacity', 'entryBatchSize', 'entryIntervalSeconds', 'pacing', 'burst')
  if s[1] ~= '1' or redis.call('ZCARD', WAITING) == 0 then
    return 0
  end
  if redis.call('ZCARD', ENTERED) >= tonumber(s[2]) then
    return 0
  end
  local p = pacing_of(s[3], s[4], s[5], s[6])
  local units, refilled = read_allowance(p)
  return allowance(at, p, units, refilled) >= p.portion and 1 or 0
end

local function last_score()
  return tonumber(redis.call('HGET', STATE, 'last') or 0)
end

-- Puts people at the end of the line. new: score, user, score, user, …; last: the score of the last of them
local function append(new, last)
  if #new > 0 then
    redis.call('ZADD', WAITING, unpack(new))
    redis.call('HSET', STATE, 'last', text(last))
    redis.call('HINCRBY', STATE, 'joined', #new / 2)
  end
end

-- Numbers this change and tells the viewers what left the line: how many from the front, which
-- scores from the middle.
local function moved(front, out)
  local change = redis.call('HINCRBY', STATE, 'change', 1)
  redis.call('XADD', MOVES, 'MAXLEN', '~', MOVES_KEPT, '*',
    'from', text(change - 1), 'to', text(change), 'front', front, 'out', out,
    'waiting', redis.call('ZCARD', WAITING))
end

-- change, waiting, inside, longest wait, joined, entered, completed, left, expired
local function figures(at)
  local state = redis.call('HMGET', STATE, 'change', 'joined', 'entered', 'completed', 'left', 'expired')
  local first = redis.call('ZRANGE', WAITING, 0, 0, 'WITHSCORES')[2]
  local longest = first and math.max(0, at - tonumber(first)) or 0
  local reply = {
    tonumber(state[1] or 0), redis.call('ZCARD', WAITING), redis.call('ZCARD', ENTERED), longest }
  for i = 2, 6 do
    reply[#reply + 1] = tonumber(state[i] or 0)
  end
  return reply
end

-- At which change it is.
local function change_of()
  return tonumber(redis.call('HGET', STATE, 'change') or 0)
end
