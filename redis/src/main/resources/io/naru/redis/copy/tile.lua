-- tile: which tickets of a block are gone.
-- KEYS  as in queue.lua and tickets.lua
-- ARGV  1 ledger  2 band  3 the first ticket of the block  4 how many tickets are in it
-- reply nothing if the copy is lost, or tickets are unknown; else at which change it is, the first and the last ticket of those who wait in that
--       lane, 1 and 0 if nobody does, then those who are gone
local change, _, lanes, lasts, gone, waiting = change_of(ARGV[1])
local all = change and ranges(lanes, lasts, gone, waiting)
if not all then
  return {}
end
local band, from, size = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local reply = { change, 1, 0 }
for _, range in ipairs(all) do
  if range[1] == band then
    reply[2], reply[3] = range[2], range[3]
  end
end
local found = gone > 0 and redis.call('ZRANGEBYSCORE', TICKETS, numbered(band, from), '(' .. numbered(band, from + size)) or {}
for _, ticket in ipairs(found) do
  reply[#reply + 1] = tonumber(ticket) - band * WIDE
end
return reply
