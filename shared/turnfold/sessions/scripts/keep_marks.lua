#!lua
-- Adds marks and the values that they stand for, if the session and its messages are still those that they are of.
-- KEYS: 1 head  2 marks
-- ARGV: 1 incarnation   2 messages erased from the session   then marks and values, not too many
-- Returns 1, or 0 where the session or a message of it was erased
local head = redis.call('HMGET', KEYS[1], 'incarnation', 'erased')
if head[1] ~= ARGV[1] or (head[2] or '0') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return 1
