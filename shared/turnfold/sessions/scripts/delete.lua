#!lua flags=allow-oom
-- Erases some of what a session owns; and the session itself, once it owns nothing else.
-- KEYS: 1 head  2 log  3 ids  4 view  5 sums  6 owned  7 sessions of the tenant  8 tenants  9 expiring
--       10 due  11 jobs  12 replies   then keys that the session owns, not too many
-- ARGV: 1 session id   2 tenant   3 member of expiring   then the ids of the jobs among those keys
-- Returns {1 where there was a session, 1 where it owns more: to be called again with that}
local existed = redis.call('EXISTS', KEYS[1])
for n = 13, #KEYS do
  redis.call('UNLINK', KEYS[n])
  redis.call('ZREM', KEYS[6], KEYS[n])
end
for n = 4, #ARGV do
  redis.call('ZREM', KEYS[10], ARGV[n])
  redis.call('ZREM', KEYS[11], ARGV[n])
end
if redis.call('EXISTS', KEYS[6]) == 1 then
  -- Should the rest never come, the session waits for no job that is gone, and what a worker makes of it is refused.
  if existed == 1 then
    redis.call('HSET', KEYS[1], 'pending_job', '')
    redis.call('HINCRBY', KEYS[1], 'version', 1)
    redis.call('HINCRBY', KEYS[1], 'fence', 1)
  end
  return {existed, 1}
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[12])
redis.call('ZREM', KEYS[7], ARGV[1])
redis.call('ZREM', KEYS[9], ARGV[3])
if redis.call('EXISTS', KEYS[7]) == 0 then redis.call('SREM', KEYS[8], ARGV[2]) end
return {existed, 0}
