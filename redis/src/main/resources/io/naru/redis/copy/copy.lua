-- What the scripts of a copy share. A copy holds those who wait and those who are inside; its state has
-- also: ledger (what it is a copy of), waiting, inside, apart and gone (how many there must be; those apart wait at a
-- score that does not tell when they joined, those gone are tickets), lasts as in tickets.lua; and lanes, where there are
-- any: for each "band waiting owed name", by ;.
local GONE, TICKETS = KEYS[10], KEYS[11]

-- Everything in one call would overflow Lua's stack.
local CHUNK = 4000

local function in_chunks(values, size, use)
  for from = 1, #values, size do
    use(unpack(values, from, math.min(from + size - 1, #values)))
  end
end

-- 25 years: how far the bands of scores are apart, each a lane. Band 0 is everybody's, where there are no lanes.
local BAND = 788940000000000

local function band_of(score)
  return math.floor(score / BAND)
end

-- Beyond the lanes, and those who came back, are the bands of those who have no place yet, one for each lane: they have no
-- tickets, and are counted as all others.
local function is_unsettled(band)
  return band < -6 or band > 4
end

-- The lanes in their order, each with its band and how many wait in it.
local function read_lanes(lanes)
  local all = {}
  for band, waiting in string.gmatch(lanes, '(%-?%d+) (%d+) %d+') do
    all[#all + 1] = { tonumber(band), tonumber(waiting) }
  end
  return all
end

-- All bands there are: of lanes, of those who came back, and of those who have no place yet.
local FIRST_BAND, LAST_BAND = -11, 10

-- How many wait in each lane, and how many stand in the lanes before it, by band; nil if all stand in one line.
local function by_band(lanes)
  if not lanes or lanes == '' then
    return nil
  end
  local waiting, before, sum = {}, {}, 0
  for band, count in string.gmatch(lanes, '(%-?%d+) (%d+) %d+') do
    waiting[tonumber(band)] = tonumber(count)
  end
  for band = FIRST_BAND, LAST_BAND do
    if waiting[band] then
      before[band] = sum
      sum = sum + waiting[band]
    end
  end
  return waiting, before
end

-- The answer of a command that may fail, because somebody gave a key another type; nil then.
local function ask(...)
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then
    return nil
  end
  return answer
end

-- At which change the copy of this original is, how many are apart, its lanes, its lasts, how many are gone, and how many
-- wait; nil if there is none, or if a part of it is missing, as what an earlier version did not keep.
local function change_of(ledger)
  local s = ask('HMGET', STATE, 'ledger', 'change', 'waiting', 'inside', 'apart', 'lanes', 'lasts', 'gone')
  if not s or s[1] ~= ledger or not s[7] then
    return nil
  end
  local inside, apart, gone = tonumber(s[4]), tonumber(s[5] or 0), tonumber(s[8])
  if ask('ZCARD', WAITING) ~= tonumber(s[3]) or ask('ZCARD', ENTERED) ~= inside
    or ask('HLEN', ENTRIES) ~= inside or (ask('HLEN', SETTINGS) or 0) == 0
    or (apart > 0 and ask('HLEN', JOINED) ~= apart)
    or (gone > 0 and (ask('ZCARD', GONE) ~= gone or ask('ZCARD', TICKETS) ~= gone)) then
    return nil
  end
  local moves = redis.call('TYPE', MOVES).ok
  if moves ~= 'stream' and moves ~= 'none' then
    return nil
  end
  return tonumber(s[2]), apart, s[6] or '', s[7], gone, tonumber(s[3])
end

-- ARGV from `at`: how many, then so many times `width` values; answers them and where the next begin.
local function values_at(at, width)
  local count = tonumber(ARGV[at]) * width
  local values = {}
  for i = 1, count do
    values[i] = ARGV[at + i]
  end
  return values, at + count + 1
end

-- In any lane, the time of a score is when they joined, unless they were moved there or took the place over. When they joined
-- is given only of those of whom that may be so, and of those who have no place yet: whoever is given none never stood elsewhere.
local function is_apart(score, joined)
  return joined ~= '' and tonumber(score) % BAND ~= tonumber(joined)
end

-- values: user, score, joined, user, score, joined, …
local function add_waiting(values)
  local scores, joined = {}, {}
  for i = 1, #values, 3 do
    scores[#scores + 1] = values[i + 1]
    scores[#scores + 1] = values[i]
    if is_apart(values[i + 1], values[i + 2]) then
      joined[#joined + 1] = values[i]
      joined[#joined + 1] = values[i + 2]
    end
  end
  in_chunks(scores, CHUNK, function(...) redis.call('ZADD', WAITING, ...) end)
  in_chunks(joined, CHUNK, function(...) redis.call('HSET', JOINED, ...) end)
end

-- values: user, joined, entered, expires, …
local function add_inside(values)
  local expiries, records = {}, {}
  for i = 1, #values, 4 do
    local user = values[i]
    expiries[#expiries + 1] = values[i + 3]
    expiries[#expiries + 1] = user
    records[#records + 1] = user
    records[#records + 1] = write_record({
      status = 'ENTERED', joined = tonumber(values[i + 1]), entered = tonumber(values[i + 2]),
      expires = tonumber(values[i + 3]), ended = 0, recent = {} })
  end
  in_chunks(expiries, CHUNK, function(...) redis.call('ZADD', ENTERED, ...) end)
  in_chunks(records, CHUNK, function(...) redis.call('HSET', ENTRIES, ...) end)
end

-- Takes these users out of the line, unless they are not in it.
local function take_out(users)
  in_chunks(users, CHUNK, function(...) redis.call('ZREM', WAITING, ...) end)
end

-- These are not in line, or not where they were.
local function forget_joined(users)
  in_chunks(users, CHUNK, function(...) redis.call('HDEL', JOINED, ...) end)
end

-- Those who are neither in line nor inside any more.
local function forget_inside(users)
  in_chunks(users, CHUNK, function(...)
    redis.call('ZREM', ENTERED, ...)
    redis.call('HDEL', ENTRIES, ...)
  end)
end

-- Where little of this Redis is left, the copies of short lines need it: a long one that does not fit must not
-- take them with it, and is refused before Redis refuses everybody.
local LONG, TIGHT = 10000, 0.95
local function refuse_if_tight()
  if redis.call('ZCARD', WAITING) <= LONG then
    return nil
  end
  local info = ask('INFO', 'memory') or ''
  local used = tonumber(string.match(info, 'used_memory:(%d+)'))
  local max = tonumber(string.match(info, 'maxmemory:(%d+)'))
  if used and max and max > 0 and used > TIGHT * max then
    return redis.error_reply('OOM a long line must leave the rest of maxmemory to others')
  end
end

local function set_state(ledger, change, waiting, inside, lanes, lanesBefore, lasts, gone)
  redis.call('HSET', STATE, 'ledger', ledger, 'change', change, 'waiting', waiting, 'inside', inside,
    'apart', redis.call('HLEN', JOINED), 'lasts', lasts, 'gone', gone)
  if lanes ~= '' then
    redis.call('HSET', STATE, 'lanes', lanes)
  elseif lanesBefore ~= '' then
    redis.call('HDEL', STATE, 'lanes')
  end
end
