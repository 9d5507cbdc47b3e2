-- replace: keeps the next version of the signing keys, unless somebody else did in between.
-- KEYS  1 hash: version, content
-- ARGV  1 the version that was read, 0 if there was none  2 the next version  3 its content
-- reply 1 kept   0 it is at another version
if tonumber(redis.call('HGET', KEYS[1], 'version') or 0) ~= tonumber(ARGV[1]) then
  return { 0 }
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'content', ARGV[3])
return { 1 }
