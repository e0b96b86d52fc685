#!lua
-- Keeps a session's search index, if the session and its messages are still those that it was made from.
-- KEYS: 1 head  2 index
-- ARGV: 1 incarnation   2 messages erased from the session   3 position of the newest message in the index
--       then the index's fields and values
-- Returns 1, or 0 where the session or a message of it was erased
local head = redis.call('HMGET', KEYS[1], 'incarnation', 'erased')
if head[1] ~= ARGV[1] or (head[2] or '0') ~= ARGV[2] then return 0 end
if tonumber(redis.call('HGET', KEYS[2], 'through') or '0') <= tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], unpack(ARGV, 4))
  redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
end
return 1
