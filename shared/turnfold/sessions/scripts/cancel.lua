#!lua flags=allow-oom
-- Ends a job for good, whoever is at work on it; its session is no longer pending.
-- KEYS: 1 job  2 head  3 due  4 owned
-- ARGV: 1 time in ms or ''   2 job id   3 plan no job before so many tokens   4 lifetime of a job ms
-- Returns the job (flat), {} where it has ended otherwise
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'cancelled' then return redis.call('HGETALL', KEYS[1]) end
if state ~= 'queued' and state ~= 'running' and state ~= 'retrying' then return {} end
redis.call('HSET', KEYS[1], 'state', 'cancelled', 'reason', 'cancelled', 'finished_at_ms', now, 'error', '')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if redis.call('EXISTS', KEYS[4]) == 1 then redis.call('ZADD', KEYS[4], string.format('%d', now + ARGV[4]), KEYS[1]) end
redis.call('ZREM', KEYS[3], ARGV[2])
if redis.call('HGET', KEYS[2], 'pending_job') == ARGV[2] then
  redis.call('HSET', KEYS[2], 'pending_job', '', 'plan_at_tokens', ARGV[3])
  redis.call('HINCRBY', KEYS[2], 'version', 1)
  redis.call('HINCRBY', KEYS[2], 'fence', 1)
end
return redis.call('HGETALL', KEYS[1])
