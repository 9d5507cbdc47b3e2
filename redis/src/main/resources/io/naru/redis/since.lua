-- since: what happened since a change, so that viewers' places can be moved on without asking for each.
-- KEYS  as in queue.lua
-- ARGV  1 change   2 ledger, if this is a copy
-- reply nothing if there is no such queue, or the copy is lost; else
--       the line's state as in queue.lua, and then
--       -1 that is too long ago   -2 the line is older than that
--       or per move, oldest first: from, to, how many left from the front (of lanes, "band count" of each, by ;),
--       scores of the others, by blanks; behind = the score of one whose place has another holder now
local then_ = tonumber(ARGV[1])
local change, _, lanes = change_of(ARGV[2])
local reply = change and line_state(change, lanes)
if not reply then
  return {}
end
if then_ > change then
  reply[#reply + 1] = -2
  return reply
end
if change - then_ > MOVES_KEPT then
  reply[#reply + 1] = -1
  return reply
end

-- Each move leads on by one change at least, so there are no more of them than changes. From the last
-- one backwards; where nobody left, several become one.
local moves, at = {}, change
if then_ < change then
  for _, entry in ipairs(redis.call('XREVRANGE', MOVES, '+', '-', 'COUNT', change - then_)) do
    local f = entry[2]
    local from, to, front, out = tonumber(f[2]), tonumber(f[4]), tonumber(f[6]) or f[6], f[8]
    if at == then_ or to ~= at or from < then_ then
      break
    end
    local last = moves[#moves]
    if last and front == 0 and out == '' and last[3] == 0 and last[4] == '' then
      last[1] = from
    else
      moves[#moves + 1] = { from, to, front, out }
    end
    at = from
  end
end
if at ~= then_ then
  reply[#reply + 1] = -1
  return reply
end
for i = #moves, 1, -1 do
  for _, value in ipairs(moves[i]) do
    reply[#reply + 1] = value
  end
end
return reply
