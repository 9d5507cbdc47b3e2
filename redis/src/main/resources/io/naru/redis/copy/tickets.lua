-- The tickets of a copy. In a lane they are in the order of scores, so nobody's needs to be kept: whoever stands at some
-- rank has the first ticket, and one more for each before them who waits, and for each who is gone. Those gone are kept, as
-- long as somebody waits before and behind them:
--   KEYS 10 gone     zset  a ticket, with its band -> where in the line it stood, or somewhere between its neighbours
--   KEYS 11 tickets  zset  the same -> the same number, to find those of a block
-- and in the state lasts: for each band with somebody in it "band ticket", of the last one who waits, by ;. Where far more
-- are gone than anybody would keep, lasts is "unknown" until the line is empty: then nobody has a ticket.
local UNKNOWN, MOST_GONE = 'unknown', 1000000
-- A ticket and its band as one number.
local WIDE = 1099511627776
local function numbered(band, ticket)
  return text(band * WIDE + ticket)
end

-- The last tickets, by band; nil if they are unknown.
local function read_lasts(lasts)
  if lasts == UNKNOWN then
    return nil
  end
  local last = {}
  for band, ticket in string.gmatch(lasts or '', '(%-?%d+) (%d+)') do
    last[tonumber(band)] = tonumber(ticket)
  end
  return last
end

local function write_lasts(last)
  local lasts = {}
  for band, ticket in pairs(last) do
    lasts[#lasts + 1] = band .. ' ' .. text(ticket)
  end
  table.sort(lasts)
  return table.concat(lasts, ';')
end

-- From and up to which score a band reaches.
local function reach(band)
  return text(band * BAND), '(' .. text((band + 1) * BAND)
end

local function waiting_in(band)
  return redis.call('ZCOUNT', WAITING, reach(band))
end

-- The first ticket of a band in which somebody waits.
local function front_of(band, last)
  return last[band] + 1 - waiting_in(band) - redis.call('ZCOUNT', GONE, reach(band))
end

-- The ticket of somebody at a score, who has so many before them in their lane.
local function ticket_at(front, band, score, ahead)
  return front + ahead + redis.call('ZCOUNT', GONE, text(band * BAND), '(' .. score)
end

-- What to note of tickets: lasts, and how many are gone; without asking, where none were and none came to it here.
local hasGone, isTooMuch = false, false
local function noted(last, goneBefore)
  if not last then
    return redis.call('EXISTS', WAITING) == 1 and UNKNOWN or '', 0
  end
  local gone = (goneBefore > 0 or hasGone) and redis.call('ZCARD', GONE) or 0
  if isTooMuch or gone > MOST_GONE then
    redis.call('UNLINK', GONE, TICKETS)
    return UNKNOWN, 0
  end
  return write_lasts(last), gone
end

-- The lanes in their order, each with its band, and the first and last ticket of those who wait in it; 1 and 0 if nobody
-- does. nil if that is unknown.
local function ranges(lanes, lasts, gone, waiting)
  local last, all = read_lasts(lasts), {}
  if not last then
    return nil
  end
  for _, lane in ipairs(lanes == '' and { { 0, waiting } } or read_lanes(lanes)) do
    local band, count = lane[1], lane[2]
    if is_unsettled(band) then
      -- Nobody there has one.
    elseif count == 0 then
      all[#all + 1] = { band, 1, 0 }
    else
      local behind = gone > 0 and redis.call('ZCOUNT', GONE, reach(band)) or 0
      all[#all + 1] = { band, last[band] + 1 - count - behind, last[band] }
    end
  end
  return all
end

-- list: ticket with its band, score, ticket with its band, score, …
local function add_gone(list)
  local scores, tickets = {}, {}
  hasGone = hasGone or #list > 0
  for i = 1, #list, 2 do
    scores[i], scores[i + 1] = list[i + 1], list[i]
    tickets[i], tickets[i + 1] = list[i], list[i]
  end
  in_chunks(scores, CHUNK, function(...) redis.call('ZADD', GONE, ...) end)
  in_chunks(tickets, CHUNK, function(...) redis.call('ZADD', TICKETS, ...) end)
end

-- These users, who wait at these scores, leave from the middle of their lanes. Says which lanes those are.
local function leave_middle(users, scores, last)
  local fronts, before, bands, gone = {}, {}, {}, {}
  for _, user in ipairs(last and users or {}) do
    local band = band_of(tonumber(scores[user]))
    if not fronts[band] and not is_unsettled(band) then
      fronts[band] = front_of(band, last)
      before[band] = redis.call('ZCOUNT', WAITING, '-inf', '(' .. text(band * BAND))
      bands[#bands + 1] = band
    end
    if fronts[band] then
      local score = text(tonumber(scores[user]))
      local ahead = redis.call('ZRANK', WAITING, user) - before[band]
      gone[#gone + 1] = numbered(band, ticket_at(fronts[band], band, score, ahead))
      gone[#gone + 1] = score
    end
  end
  take_out(users)
  add_gone(gone)
  return bands
end

-- Forgets those gone with nobody before or behind them who waits.
local function settle(bands, last)
  for _, band in ipairs(bands) do
    local from, upTo = reach(band)
    local first = not is_unsettled(band)
      and redis.call('ZRANGEBYSCORE', WAITING, from, upTo, 'WITHSCORES', 'LIMIT', 0, 1)
    if first and not first[1] then
      redis.call('ZREMRANGEBYSCORE', GONE, from, upTo)
      redis.call('ZREMRANGEBYSCORE', TICKETS, numbered(band, 0), '(' .. numbered(band + 1, 0))
      last[band] = nil
    elseif first then
      local final = redis.call('ZREVRANGEBYSCORE', WAITING, upTo, from, 'WITHSCORES', 'LIMIT', 0, 1)
      last[band] = last[band] - redis.call('ZREMRANGEBYSCORE', GONE, '(' .. text(tonumber(final[2])), upTo)
      redis.call('ZREMRANGEBYSCORE', GONE, from, '(' .. text(tonumber(first[2])))
      redis.call('ZREMRANGEBYSCORE', TICKETS, numbered(band, 0), '(' .. numbered(band, front_of(band, last)))
      redis.call('ZREMRANGEBYSCORE', TICKETS, '(' .. numbered(band, last[band]), '(' .. numbered(band + 1, 0))
    end
  end
end

-- Those who are gone between two tickets, the first of which stands at a score.
local function gap(band, after, before, score)
  local gone = {}
  if before - after > MOST_GONE then
    isTooMuch = true
    return
  end
  for i = 1, before - after - 1 do
    gone[#gone + 1] = numbered(band, after + i)
    gone[#gone + 1] = text(score + i)
  end
  add_gone(gone)
end

-- Somebody comes to a place before others: those touched since may be read in any order.
local function arrive_before(user, band, score, ticket, last)
  local known = redis.call('ZSCORE', WAITING, user)
  if known and tonumber(known) == score then
    return
  end
  local front = front_of(band, last)
  if ticket < front then
    gap(band, ticket, front, score)
    return
  end
  redis.call('ZREM', GONE, numbered(band, ticket))
  redis.call('ZREM', TICKETS, numbered(band, ticket))
  -- Those behind are gone behind.
  local i = 1
  while true do
    local at = redis.call('ZSCORE', GONE, numbered(band, ticket + i))
    if not at or tonumber(at) > score then
      return
    end
    redis.call('ZADD', GONE, text(score + i), numbered(band, ticket + i))
    i = i + 1
  end
end

-- values: user, score, joined, ticket, user, score, joined, ticket, …, by ticket. Puts them in line. Where tickets are missing
-- before one, their holders came and went unseen.
local function arrive(values, last)
  local waiting = {}
  local function put()
    add_waiting(waiting)
    waiting = {}
  end
  for i = 1, #values, 4 do
    local score, ticket = tonumber(values[i + 1]), tonumber(values[i + 3])
    local band = band_of(score)
    local before = last and last[band]
    if is_unsettled(band) then
      -- They come without one.
    elseif last and (not before or ticket == before + 1) then
      last[band] = ticket
    elseif last then
      put()
      if waiting_in(band) == 0 then
        last[band] = ticket
      elseif ticket > before then
        local from, upTo = reach(band)
        local final = redis.call('ZREVRANGEBYSCORE', WAITING, upTo, from, 'WITHSCORES', 'LIMIT', 0, 1)
        gap(band, before, ticket, tonumber(final[2]))
        last[band] = ticket
      else
        arrive_before(values[i], band, score, ticket, last)
      end
    end
    for j = 0, 2 do
      waiting[#waiting + 1] = values[i + j]
    end
  end
  put()
end
