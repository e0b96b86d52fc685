#!lua
-- Records a job for a session, unless one is pending.
-- KEYS: 1 head  2 owned  3 due  4 job  5 jobs
-- ARGV: 1 time in ms or ''   2 expected version   3 look at the job after ms   4 lifetime of a job ms
--       5 id of a pending job whose record is gone, or ''   6 number of head's fields and values
--       then head's fields and values, then the job's
-- Returns {'ok'} | {'pending', id} | {'stale', field, value...}
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local pending = redis.call('HGET', KEYS[1], 'pending_job')
if pending and pending ~= '' and pending ~= ARGV[5] then return {'pending', pending} end
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[2] then
  local head = redis.call('HGETALL', KEYS[1])
  table.insert(head, 1, 'stale')
  return head
end
local head_count = tonumber(ARGV[6])
local look_at = string.format('%d', now + ARGV[3])
redis.call('HSET', KEYS[1], unpack(ARGV, 7, 6 + head_count))
redis.call('HSET', KEYS[4], unpack(ARGV, 7 + head_count))
redis.call('HSET', KEYS[4], 'created_at_ms', now, 'look_at_ms', look_at)
local lifetime = string.format('%d', math.max(tonumber(ARGV[4]), redis.call('PTTL', KEYS[1])))
redis.call('PEXPIRE', KEYS[4], lifetime)
local id = redis.call('HGET', KEYS[4], 'id')
redis.call('ZADD', KEYS[3], look_at, id)
redis.call('ZADD', KEYS[5], now, id)
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%d', now - ARGV[4]))
redis.call('ZADD', KEYS[2], string.format('%d', now + lifetime), KEYS[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return {'ok'}
