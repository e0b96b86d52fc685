#!lua flags=allow-oom
-- Ends a job without a summary; the session is no longer pending.
-- KEYS: 1 job  2 head  3 due  4 owned
-- ARGV: 1 time in ms or ''   2 job id   3 fence   4 final state   5 plan no job before so many tokens   6 lifetime ms
--       then the job's fields and values
-- Returns 1, or 0 where the claim is no longer the job's
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local job = redis.call('HMGET', KEYS[1], 'state', 'fence')
if job[1] ~= 'running' or job[2] ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 7))
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'finished_at_ms', now)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
if redis.call('EXISTS', KEYS[4]) == 1 then redis.call('ZADD', KEYS[4], string.format('%d', now + ARGV[6]), KEYS[1]) end
redis.call('ZREM', KEYS[3], ARGV[2])
if redis.call('HGET', KEYS[2], 'pending_job') == ARGV[2] then
  if ARGV[4] == 'dead' then redis.call('HINCRBY', KEYS[2], 'deaths', 1) end
  redis.call('HSET', KEYS[2], 'pending_job', '', 'plan_at_tokens', ARGV[5])
  redis.call('HINCRBY', KEYS[2], 'version', 1)
end
return 1
