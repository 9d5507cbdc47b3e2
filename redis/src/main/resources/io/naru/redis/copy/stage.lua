-- stage: adds a part to a copy that is being built.
-- KEYS  as in queue.lua, with state, waiting, entered, entries and joined of the builder's own
-- ARGV  1 number of the part, from 1  2 how long an unfinished copy is kept, in seconds; then lists, each with
--       its length first: out: user   inside: user, joined, entered, expires   waiting: user, score, joined
-- reply the number   nothing if this part is not the next, because it comes again or what was before is gone
local number = tonumber(ARGV[1])
if tonumber(redis.call('HGET', STATE, 'parts') or 0) ~= number - 1 then
  return {}
end
local refusal = refuse_if_tight()
if refusal then
  return refusal
end
local out, inside, waiting, next_
out, next_ = values_at(3, 1)
inside, next_ = values_at(next_, 4)
waiting, next_ = values_at(next_, 3)
take_out(out)
forget_joined(out)
forget_inside(out)
local entering = {}
for i = 1, #inside, 4 do
  entering[#entering + 1] = inside[i]
end
take_out(entering)
forget_joined(entering)
add_inside(inside)
add_waiting(waiting)
redis.call('HSET', STATE, 'parts', number)
for _, key in ipairs({ STATE, WAITING, ENTERED, ENTRIES, JOINED }) do
  redis.call('EXPIRE', key, ARGV[2])
end
return { number }
