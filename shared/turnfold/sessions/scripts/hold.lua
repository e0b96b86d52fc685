#!lua flags=allow-oom
-- Holds a running job for another lease, or gives it back to be tried again.
-- KEYS: 1 job  2 head  3 due
-- ARGV: 1 time in ms or ''   2 job id   3 fence   4 'running' or 'retrying'   5 look at it after ms   6 error
--       7 'failure': a try that failed, 'no try': the claim does not count, or ''
-- Returns 1, or 0 where the claim is no longer the job's
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local job = redis.call('HMGET', KEYS[1], 'state', 'fence')
if job[1] ~= 'running' or job[2] ~= ARGV[3] or redis.call('HGET', KEYS[2], 'fence') ~= ARGV[3] then return 0 end
local look_at = string.format('%d', now + ARGV[5])
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'look_at_ms', look_at)
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'error', ARGV[6]) end
if ARGV[7] == 'failure' then redis.call('HINCRBY', KEYS[1], 'failures', 1) end
if ARGV[7] == 'no try' then redis.call('HINCRBY', KEYS[1], 'tries', -1) end
redis.call('ZADD', KEYS[3], look_at, ARGV[2])
return 1
