-- part: what a copy holds of a part of its line, or of those inside.
-- KEYS  as in queue.lua
-- ARGV  1 ledger  2 `waiting` or `inside`  3 behind this score or time  4 up to this one  5 the first so many
--       6 `sum` or `all`
-- reply nothing if the copy is lost; else at which change it is, then
--       sum: how many, and the checksum of a line for each: user, score, joined; or user, until, joined, entered
--       all: the same numbers, for each
local change, apart = change_of(ARGV[1])
if not change then
  return {}
end
local isInside = ARGV[2] == 'inside'
local found = redis.call('ZRANGEBYSCORE', isInside and ENTERED or WAITING, '(' .. ARGV[3], ARGV[4],
  'WITHSCORES', 'LIMIT', 0, tonumber(ARGV[5]))
local rows = {}
for i = 1, #found, 2 do
  local user, at = found[i], text(tonumber(found[i + 1]))
  if isInside then
    local _, joined, entered, expires =
      string.match(redis.call('HGET', ENTRIES, user) or '', '^(%u+) (%d+) (%d+) (%d+) ')
    -- A record that is gone, or says something else, is nobody's.
    local isTheirs = expires == at
    rows[#rows + 1] = { user, at, isTheirs and joined or '0', isTheirs and entered or '0' }
  else
    local joined = apart > 0 and redis.call('HGET', JOINED, user)
    rows[#rows + 1] = { user, at, joined or text(tonumber(at) % BAND) }
  end
end
if ARGV[6] == 'sum' then
  for i, row in ipairs(rows) do
    rows[i] = table.concat(row, ' ')
  end
  rows[#rows + 1] = ''
  return { change, #rows - 1, redis.sha1hex(table.concat(rows, '\n')) }
end
local reply = { change }
for _, row in ipairs(rows) do
  for _, value in ipairs(row) do
    reply[#reply + 1] = value
  end
end
return reply
