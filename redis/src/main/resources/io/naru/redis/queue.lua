-- What all operations share, whoever decides: the keys of a queue, its entries' records, what is said of its line.
--
-- KEYS of every operation:
--   1 settings  hash    text (the operator's settings, as one), those of them that scripts decide by, and active,
--                       version, createdAt, activatedAt, deactivatedAt; of a copy, text, version and stands (what the
--                       operator allows, as one text)
--   2 state     hash    change, last (score), tokens, rest, refilled, enteredAt (the latest), totals
--   3 waiting   zset    user -> score
--   4 entered   zset    user -> when the right to be inside ends
--   5 entries   hash    user -> record, for those who are or were inside (and recent leavers); of somebody
--                       who was requeued and waits, how the turn before ended; and "user " -> how the entry
--                       before the present one ended, where that is not to be found under the user
--   6 finished  zset    user -> when its record was last needed, to forget it in time
--   7 moves     stream  one entry per change: what left the line
--   8 over      list    turns that were over before their pass was, as they ended:
--                       "change joined entered expires user"
--   9 joined    hash    of a copy: user -> when they joined, of those who wait at a score that is another number
local SETTINGS, STATE, WAITING, ENTERED = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ENTRIES, FINISHED, MOVES, OVER, JOINED = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]

-- Enough for a reader to be seconds late at thousands of changes a second; whoever is later asks again.
local MOVES_KEPT = 4096

-- Lua's tostring keeps 14 digits; a score has 15 or 16.
local function text(number)
  return string.format('%.0f', number)
end

-- A record: status, joined, entered, expires, ended, and when this user's ended entries of the last
-- minute had joined ("recent"), for the enter limit; behind an @, to which session somebody inside
-- belongs (a hash). First-time visitors have no record at all.
local function read_record(record)
  local status, joined, entered, expires, ended, recent, session =
    string.match(record, '^(%u+) (%d+) (%d+) (%d+) (%d+)([%d ]*)@?(.*)$')
  local times = {}
  for time in string.gmatch(recent, '%d+') do
    times[#times + 1] = tonumber(time)
  end
  return {
    status = status,
    joined = tonumber(joined),
    entered = tonumber(entered),
    expires = tonumber(expires),
    ended = tonumber(ended),
    recent = times,
    session = session ~= '' and session or nil,
  }
end

local function write_record(r)
  local recent = ''
  for _, time in ipairs(r.recent) do
    recent = recent .. ' ' .. text(time)
  end
  return string.format(
    '%s %.0f %.0f %.0f %.0f%s%s', r.status, r.joined, r.entered, r.expires, r.ended, recent,
    r.session and '@' .. r.session or '')
end

-- Where an earlier version was the last to write, every setting has a field of its own, and a text is out of date.
local BEFORE = { 'title', 'targetUrl', 'color', 'logoUrl', 'message', 'audience' }
local function settings_before()
  local names = { 'once', 'maxCapacity', 'entryBatchSize', 'entryIntervalSeconds', 'passTtlSeconds',
    'maxWaiting', 'newPlacesPerMinute', 'onExpiry', 'completedBy', unpack(BEFORE) }
  local s = redis.call('HMGET', SETTINGS, unpack(names))
  local settings = { once = s[1] == 'true' }
  for i = 2, #names do
    -- A title is text also if it is written in digits.
    settings[names[i]] = i <= #names - #BEFORE and tonumber(s[i]) or s[i] or nil
  end
  return cjson.encode(settings)
end

-- What is the same for everybody in a queue, with which an answer about places begins: change, waiting,
-- version, its lanes as in copy.lua, what the operator allows, and the settings, both as the text that they came in; where Redis decides, only
-- active or not: 1 or 0. nil if there is no such queue.
local function line_state(change, lanes)
  local s = redis.call('HMGET', SETTINGS, 'active', 'text', 'targetUrl', 'version', 'stands')
  local settings = s[3] and settings_before() or s[2]
  if not settings then
    return nil
  end
  -- A copy made by an earlier version has no version, and says active or not, or not even that; in most of them
  -- people are let in.
  return {
    change or tonumber(redis.call('HGET', STATE, 'change') or 0), redis.call('ZCARD', WAITING),
    tonumber(s[4] or 0), lanes or '', s[5] or (s[1] == '0' and '0' or '1'), settings }
end
