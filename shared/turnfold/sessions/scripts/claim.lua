#!lua
-- Gives a job to a worker, with a new fence, if it may run now.
-- KEYS: 1 job  2 head  3 due
-- ARGV: 1 time in ms or ''   2 job id   3 worker   4 lease ms
-- Returns the job (flat), {} where it may not run
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local job = redis.call('HMGET', KEYS[1], 'state', 'incarnation', 'look_at_ms', 'started_at_ms')
local state = job[1]
if not state then
  redis.call('ZREM', KEYS[3], ARGV[2])
  return {}
end
if state ~= 'queued' and state ~= 'running' and state ~= 'retrying' then
  redis.call('ZREM', KEYS[3], ARGV[2])
  return {}
end
local head = redis.call('HMGET', KEYS[2], 'incarnation', 'pending_job')
if head[1] ~= job[2] or head[2] ~= ARGV[2] then
  redis.call('HSET', KEYS[1], 'state', head[1] == job[2] and 'superseded' or 'cancelled', 'finished_at_ms', now,
    'error', '')
  redis.call('ZREM', KEYS[3], ARGV[2])
  return {}
end
if state ~= 'queued' and tonumber(job[3]) > tonumber(now) then return {} end
local look_at = string.format('%d', now + ARGV[4])
local fence = redis.call('HINCRBY', KEYS[2], 'fence', 1)
redis.call('HINCRBY', KEYS[1], 'tries', 1)
redis.call('HSET', KEYS[1], 'state', 'running', 'fence', tostring(fence), 'worker', ARGV[3], 'look_at_ms', look_at)
if job[4] == '0' then redis.call('HSET', KEYS[1], 'started_at_ms', now) end
redis.call('ZADD', KEYS[3], look_at, ARGV[2])
return redis.call('HGETALL', KEYS[1])
