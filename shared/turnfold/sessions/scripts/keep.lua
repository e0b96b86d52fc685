#!lua
-- Keeps a reply until it is committed, if its session is still the one that it was made for.
-- KEYS: 1 head  2 own  3 reply
-- ARGV: 1 incarnation   2 reply   3 its lifetime ms
-- Returns 1, or 0 where the session was erased
if redis.call('HGET', KEYS[1], 'incarnation') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3])
redis.call('SADD', KEYS[2], KEYS[3])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return 1
