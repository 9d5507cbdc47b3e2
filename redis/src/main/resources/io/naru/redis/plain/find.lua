-- find: a queue's settings and figures.
-- KEYS  as in queue.lua
-- reply nothing if there is no such queue; else 9 figures as in queue.lua,
--       then setting, value, setting, value, … of the settings hash
local settings = redis.call('HGETALL', SETTINGS)
if #settings == 0 then
  return {}
end
local reply = figures(now())
for _, value in ipairs(settings) do
  reply[#reply + 1] = value
end
return reply
