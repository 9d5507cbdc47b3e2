-- now() for tests: the clock of Redis, moved by what stands in a key beside the queue's settings.
local function now()
  local time = redis.call('TIME')
  local moved = tonumber(redis.call('GET', KEYS[1] .. ':clock') or 0)
  return (time[1] - 1767225600) * 1000000 + time[2] + moved
end
