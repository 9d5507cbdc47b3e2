-- state: at which change a copy is.
-- KEYS  as in queue.lua
-- ARGV  1 ledger
-- reply at which change it is   nothing if it is lost
local change = change_of(ARGV[1])
return change and { change } or {}
