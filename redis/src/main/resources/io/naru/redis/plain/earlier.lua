-- earlier: how an entry ended whose user has a later one, as far as that is known.
-- KEYS  as in queue.lua
-- ARGV  1 user  2 when the entry joined
-- reply nothing if there is no such queue; else
--       the line's state as in queue.lua, then
--       0 unknown   3 COMPLETED, 4 EXPIRED: joined, entered, expires
local reply = line_state()
if not reply then
  return {}
end
local n = #reply
reply[n + 1] = 0
local at = now()
for _, record in ipairs(redis.call('HMGET', ENTRIES, earlier_of(ARGV[1]), ARGV[1])) do
  local r = record and read_record(record)
  if r and r.joined == tonumber(ARGV[2]) and r.status ~= 'ENTERED' and not is_forgotten(r, at) then
    reply[n + 1] = r.status == 'COMPLETED' and 3 or 4
    reply[n + 2], reply[n + 3], reply[n + 4] = r.joined, r.entered, r.expires
  end
end
return reply
