#!lua
-- Erases a session and all that came of it.
-- KEYS: 1 head  2 sessions of the tenant  3 due  4 jobs  then every other key of the session
-- ARGV: 1 session id   then the ids of its jobs
-- Returns 1 where there was one
local existed = redis.call('EXISTS', KEYS[1])
redis.call('DEL', KEYS[1], unpack(KEYS, 5))
redis.call('ZREM', KEYS[2], ARGV[1])
for n = 2, #ARGV do
  redis.call('ZREM', KEYS[3], ARGV[n])
  redis.call('ZREM', KEYS[4], ARGV[n])
end
return existed
