#!lua
-- Puts a dead job back in the queue, as if it were new, or has one that waits for its next try tried now.
-- KEYS: 1 job  2 head  3 due  4 owned
-- ARGV: 1 time in ms or ''   2 job id   3 look at it after ms   4 lifetime of a job ms
-- Returns the job (flat), {} where it is in another state, or its session is another one or waits for another job
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local job = redis.call('HMGET', KEYS[1], 'state', 'incarnation')
local head = redis.call('HMGET', KEYS[2], 'incarnation', 'pending_job')
if not job[1] or head[1] ~= job[2] then return {} end
if job[1] == 'retrying' and head[2] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'look_at_ms', now)
  redis.call('ZADD', KEYS[3], now, ARGV[2])
  return redis.call('HGETALL', KEYS[1])
end
if job[1] ~= 'dead' or head[2] ~= '' then return {} end
local look_at = string.format('%d', now + ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'queued', 'reason', '', 'tries', '0', 'failures', '0', 'started_at_ms', '0', 
  'finished_at_ms', '0', 'look_at_ms', look_at)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[3], look_at, ARGV[2])
redis.call('ZADD', KEYS[4], string.format('%d', now + ARGV[4]), KEYS[1])
redis.call('PEXPIRE', KEYS[4], redis.call('PTTL', KEYS[2]))
redis.call('HSET', KEYS[2], 'pending_job', ARGV[2], 'plan_at_tokens', '0')
redis.call('HINCRBY', KEYS[2], 'version', 1)
return redis.call('HGETALL', KEYS[1])
