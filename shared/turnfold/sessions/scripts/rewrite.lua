#!lua flags=allow-oom
-- Takes a part of a session back: lines of the log, summaries. The pending job ends, another may take its place.
-- KEYS: 1 head  2 log  3 ids  4 view  5 sums  6 owned  7 replies  8 due  9 jobs  10 pending job  11 next job
--       then what tells of an erased message: index, marks, answers under Idempotency-Keys
-- ARGV: 1 time in ms or ''   2 expected version   3 view (JSON)   4 id of the pending job or ''   5 why it ends
--       6 lifetime of a job ms   7 look at the next job after ms   8 number of head's fields and values
--       9 of positions and lines   10 of message ids   11 of summaries   12 of the next job's fields and values
--       then all of these, in that order
-- Returns {'ok', field, value...} | {'stale', field, value...}, the head as it is
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[2] then
  local present = redis.call('HGETALL', KEYS[1])
  table.insert(present, 1, 'stale')
  return present
end

-- Gives a job's record its lifetime, and notes that it is the session's.
local function own(name, lifetime)
  redis.call('PEXPIRE', name, lifetime)
  redis.call('ZADD', KEYS[6], string.format('%d', now + lifetime), name)
end

local lifetime = redis.call('PTTL', KEYS[1])
local at = 12
local function next_part(argument)
  local first = at + 1
  at = at + tonumber(ARGV[argument])
  return first, at
end

local first, last = next_part(8)
redis.call('HSET', KEYS[1], unpack(ARGV, first, last))
redis.call('HINCRBY', KEYS[1], 'fence', 1)
redis.call('SET', KEYS[4], ARGV[3])
first, last = next_part(9)
for n = first, last, 2 do redis.call('LSET', KEYS[2], tonumber(ARGV[n]) - 1, ARGV[n + 1]) end
first, last = next_part(10)
for n = first, last do redis.call('HDEL', KEYS[3], ARGV[n]) end
first, last = next_part(11)
for n = first, last do redis.call('HDEL', KEYS[5], ARGV[n]) end
redis.call('UNLINK', KEYS[7])
for n = 12, #KEYS do
  redis.call('UNLINK', KEYS[n])
  redis.call('ZREM', KEYS[6], KEYS[n])
end
if ARGV[4] ~= '' and redis.call('EXISTS', KEYS[10]) == 1 then
  redis.call('HSET', KEYS[10], 'state', 'superseded', 'reason', ARGV[5], 'finished_at_ms', now, 'error', '')
  own(KEYS[10], ARGV[6])
end
if ARGV[4] ~= '' then redis.call('ZREM', KEYS[8], ARGV[4]) end
first, last = next_part(12)
if last >= first then
  local look_at = string.format('%d', now + ARGV[7])
  redis.call('HSET', KEYS[11], unpack(ARGV, first, last))
  redis.call('HSET', KEYS[11], 'created_at_ms', now, 'look_at_ms', look_at)
  local id = redis.call('HGET', KEYS[11], 'id')
  redis.call('ZADD', KEYS[8], look_at, id)
  redis.call('ZADD', KEYS[9], now, id)
  own(KEYS[11], string.format('%d', math.max(tonumber(ARGV[6]), lifetime)))
end
redis.call('PEXPIRE', KEYS[4], lifetime)
if redis.call('EXISTS', KEYS[6]) == 1 then redis.call('PEXPIRE', KEYS[6], lifetime) end
local present = redis.call('HGETALL', KEYS[1])
table.insert(present, 1, 'ok')
return present
