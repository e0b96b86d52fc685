#!lua flags=allow-oom
-- Books a context that is served, and what it saves; and then reads it: read.lua follows.
-- KEYS: 1 head  2 log  3 view  4 ledger
local saved = redis.call('HMGET', KEYS[1], 'folded_tokens', 'hidden_tokens')
if saved[1] then
  redis.call('HINCRBY', KEYS[4], 'contexts', 1)
  if saved[1] ~= '0' then redis.call('HINCRBY', KEYS[4], 'folded_tokens', saved[1]) end
  if saved[2] ~= '0' then redis.call('HINCRBY', KEYS[4], 'hidden_tokens', saved[2]) end
end
