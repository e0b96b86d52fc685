#!lua
-- Appends messages to a session: log, head, indexes, and a job if one was planned. All or nothing.
-- KEYS: 1 head  2 log  3 ids  4 view  5 sums  6 owned  7 sessions of the tenant  8 tenants  9 expiring
--       10 due  11 job (the new one, or the pending one)  12 jobs  13 idem  14 index  15 marks
-- ARGV: 1 time in ms or ''   2 expected version or '' for a new session   3 ttl ms   4 session id   5 tenant
--       6 member of expiring   7 number of head's fields and values   8 number of the job's   9 number of messages
--       10 idempotency digest or ''   11 rest of the answer (JSON)   12 its lifetime ms   13 look at the job after ms
--       14 lifetime of a job ms
--       then head's fields and values, the job's, and for each message:
--       given id or ''   JSON of it   start of an id of ours   what stands before the line   what stands behind its id
-- Returns {'ok', revision, first, last, now, id...} | {'stale', field, value...} | {'other'}
--       | {'repeated', revision, first, last, ids (JSON), rest}
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local digest = ARGV[10]
if digest ~= '' then
  local known = redis.call('HMGET', KEYS[13], 'digest', 'revision', 'first', 'last', 'ids', 'rest')
  if known[1] then
    if known[1] ~= digest then return {'other'} end
    return {'repeated', known[2], known[3], known[4], known[5], known[6]}
  end
end
local version = redis.call('HGET', KEYS[1], 'version') or ''
if version ~= ARGV[2] then
  local head = redis.call('HGETALL', KEYS[1])
  table.insert(head, 1, 'stale')
  return head
end

-- An id of ours ends with its position, so that it needs no index; a given one may repeat such an id.
local function is_new(id, id_json, position)
  local told = string.match(id, '%.(%d+)$')
  if told and #told < 16 then
    local line = redis.call('LINDEX', KEYS[2], tonumber(told) - 1)
    local head = '{"id":' .. id_json .. ','
    if line and (string.sub(line, 1, #head) == head or string.sub(line, 2, #head + 1) == head) then return false end
  end
  return redis.call('HSETNX', KEYS[3], id, position) == 1
end

-- Gives a key its lifetime, and notes that it is the session's; what is over is forgotten.
local function own(name, lifetime)
  redis.call('PEXPIRE', name, lifetime)
  redis.call('ZADD', KEYS[6], string.format('%d', now + lifetime), name)
  redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', now)
end

local base = 14
local head_count, job_count, count = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
redis.call('HSET', KEYS[1], unpack(ARGV, base + 1, base + head_count))
redis.call('HSET', KEYS[1], 'last_active_at_ms', now)
if ARGV[2] == '' then redis.call('HSET', KEYS[1], 'created_at_ms', now, 'fence', '0') end
local length = redis.call('LLEN', KEYS[2])
local answer = {'ok', redis.call('HGET', KEYS[1], 'revision'), string.format('%d', length + 1), string.format('%d', length + count), now}
local written = {}
local at = base + head_count + job_count
for n = 1, count do
  local id, id_json = ARGV[at + 1], ARGV[at + 2]
  if id == '' or not is_new(id, id_json, string.format('%d', length + n)) then
    id = ARGV[at + 3] .. '.' .. string.format('%d', length + n)
    id_json = '"' .. id .. '"'
  end
  redis.call('RPUSH', KEYS[2], ARGV[at + 4] .. '{"id":' .. id_json .. ',' .. ARGV[at + 5])
  answer[#answer + 1] = id
  written[#written + 1] = id_json
  at = at + 5
end
if job_count > 0 then
  redis.call('HSET', KEYS[11], unpack(ARGV, base + head_count + 1, base + head_count + job_count))
  local look_at = string.format('%d', now + ARGV[13])
  redis.call('HSET', KEYS[11], 'created_at_ms', now, 'look_at_ms', look_at)
  local id = redis.call('HGET', KEYS[11], 'id')
  redis.call('ZADD', KEYS[10], look_at, id)
  redis.call('ZADD', KEYS[12], now, id)
  redis.call('ZREMRANGEBYSCORE', KEYS[12], '-inf', string.format('%d', now - ARGV[14]))
end
-- A job that waits is there as long as its session: each append finds it, made with it or before.
if redis.call('EXISTS', KEYS[11]) == 1 then
  own(KEYS[11], string.format('%d', math.max(tonumber(ARGV[3]), tonumber(ARGV[14]))))
end
if digest ~= '' then
  redis.call('HSET', KEYS[13], 'digest', digest, 'revision', answer[2], 'first', answer[3], 'last', answer[4],
    'ids', '[' .. table.concat(written, ',') .. ']', 'rest', ARGV[11])
  own(KEYS[13], ARGV[12])
end
for n = 1, 6 do redis.call('PEXPIRE', KEYS[n], ARGV[3]) end
for n = 14, 15 do redis.call('PEXPIRE', KEYS[n], ARGV[3]) end
redis.call('ZADD', KEYS[7], now, ARGV[4])
redis.call('SADD', KEYS[8], ARGV[5])
redis.call('ZADD', KEYS[9], string.format('%d', now + ARGV[3]), ARGV[6])
return answer
