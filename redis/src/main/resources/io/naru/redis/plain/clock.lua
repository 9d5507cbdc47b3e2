-- now(): microseconds since 2026-01-01, on the clock of Redis, never on a server's.
local function now()
  local time = redis.call('TIME')
  return (time[1] - 1767225600) * 1000000 + time[2]
end
