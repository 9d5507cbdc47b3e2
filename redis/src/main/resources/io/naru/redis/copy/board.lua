-- board: who waits where, by tickets.
-- KEYS  as in queue.lua and tickets.lua
-- ARGV  1 ledger  2 the smallest block  3 how many blocks at most
-- reply nothing if the copy is lost, or tickets are unknown; else the line's state as in queue.lua, the size of a block, and per lane, in their
--       order: band, first and last ticket of those who wait, then of each block how many are gone
local change, _, lanes, lasts, gone, waiting = change_of(ARGV[1])
local all = change and ranges(lanes, lasts, gone, waiting)
local reply = all and line_state(change, lanes)
if not reply then
  return {}
end
local size = tonumber(ARGV[2])
local function blocks_in(range)
  return range[2] > range[3] and 0 or math.floor(range[3] / size) - math.floor(range[2] / size) + 1
end
local function blocks()
  local sum = 0
  for _, range in ipairs(all) do
    sum = sum + blocks_in(range)
  end
  return sum
end
while blocks() > tonumber(ARGV[3]) do
  size = size * 2
end
reply[#reply + 1] = size
for _, range in ipairs(all) do
  local band, front = range[1], range[2]
  for _, value in ipairs(range) do
    reply[#reply + 1] = value
  end
  local first = math.floor(front / size)
  for block = first, first + blocks_in(range) - 1 do
    reply[#reply + 1] = gone > 0 and redis.call('ZCOUNT', TICKETS, numbered(band, math.max(front, block * size)),
      '(' .. numbered(band, (block + 1) * size)) or 0
  end
end
return reply
