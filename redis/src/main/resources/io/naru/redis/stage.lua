-- stage: adds some people to a copy that is being built.
-- KEYS  as in queue.lua, with waiting, entered and entries of the builder's own
-- ARGV  1 how long an unfinished copy is kept, in seconds; then lists, each with its length first:
--       inside: user, score, entered, expires   waiting: user, score
-- reply nothing
local inside, waiting, next_
inside, next_ = values_at(2, 4)
waiting, next_ = values_at(next_, 2)
add_inside(inside)
add_waiting(waiting)
for _, key in ipairs({ WAITING, ENTERED, ENTRIES }) do
  redis.call('EXPIRE', key, ARGV[1])
end
return {}
