#!lua
-- Lands a summary: head, view and record in one write, or nothing. A further job may be recorded with it.
-- KEYS: 1 head  2 view  3 sums  4 owned  5 job  6 due  7 next job  8 jobs  9 replies
--       10 ledger
-- ARGV: 1 time in ms or ''   2 job id   3 incarnation   4 fence   5 expected version   6 view (JSON)
--       7 summary id   8 summary (JSON)   9 lifetime of a job ms   10 look at the next job after ms
--       11 number of head's fields and values   12 number of the job's   then head's, the job's, the next job's
-- Returns {'ok'} | {'refused'} | {'stale', field, value...}
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local head = redis.call('HMGET', KEYS[1], 'incarnation', 'pending_job', 'fence', 'version')
local job = redis.call('HMGET', KEYS[5], 'state', 'fence')
if job[1] ~= 'running' or job[2] ~= ARGV[4] then return {'refused'} end
if head[1] ~= ARGV[3] or head[2] ~= ARGV[2] or head[3] ~= ARGV[4] then
  redis.call('HSET', KEYS[5], 'state', 'superseded', 'finished_at_ms', now, 'error', '')
  redis.call('ZREM', KEYS[6], ARGV[2])
  return {'refused'}
end
if head[4] ~= ARGV[5] then
  local present = redis.call('HGETALL', KEYS[1])
  table.insert(present, 1, 'stale')
  return present
end

-- Gives a job's record its lifetime, and notes that it is the session's; what is over is forgotten.
local function own(name, lifetime)
  redis.call('PEXPIRE', name, lifetime)
  redis.call('ZADD', KEYS[4], string.format('%d', now + lifetime), name)
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
end

local base, head_count, job_count = 12, tonumber(ARGV[11]), tonumber(ARGV[12])
local lifetime = redis.call('PTTL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, base + 1, base + head_count))
redis.call('SET', KEYS[2], ARGV[6])
redis.call('HSET', KEYS[3], ARGV[7], ARGV[8])
redis.call('HINCRBY', KEYS[10], 'summaries', 1)
redis.call('HSET', KEYS[5], unpack(ARGV, base + head_count + 1, base + head_count + job_count))
redis.call('HSET', KEYS[5], 'state', 'succeeded', 'finished_at_ms', now)
own(KEYS[5], ARGV[9])
redis.call('ZREM', KEYS[6], ARGV[2])
-- A session has one job at a time: whatever was kept was for this summary, or will not be asked for again.
redis.call('UNLINK', KEYS[9])
if #ARGV > base + head_count + job_count then
  local look_at = string.format('%d', now + ARGV[10])
  redis.call('HSET', KEYS[7], unpack(ARGV, base + head_count + job_count + 1))
  redis.call('HSET', KEYS[7], 'created_at_ms', now, 'look_at_ms', look_at)
  local id = redis.call('HGET', KEYS[7], 'id')
  redis.call('ZADD', KEYS[6], look_at, id)
  redis.call('ZADD', KEYS[8], now, id)
  own(KEYS[7], string.format('%d', math.max(tonumber(ARGV[9]), lifetime)))
end
for n = 2, 4 do redis.call('PEXPIRE', KEYS[n], lifetime) end
return {'ok'}
