#!lua
-- Creates a session, or changes its settings; with a view, stores what inline steps hid.
-- KEYS: 1 head  2 log  3 ids  4 view  5 sums  6 owned  7 sessions of the tenant  8 tenants  9 expiring
--       10 index  11 marks
-- ARGV: 1 time in ms or ''   2 expected version or '' for a new session   3 ttl ms   4 session id   5 tenant
--       6 member of expiring   7 view (JSON) or ''   8 '1': this counts as activity   then head's fields and values
-- Returns {'ok', field, value...} | {'stale', field, value...}, the head as it is
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000))
end
local answer = 'stale'
if (redis.call('HGET', KEYS[1], 'version') or '') == ARGV[2] then
  answer = 'ok'
  redis.call('HSET', KEYS[1], unpack(ARGV, 9))
  if ARGV[2] == '' then redis.call('HSET', KEYS[1], 'created_at_ms', now, 'fence', '0') end
  if ARGV[7] ~= '' then redis.call('SET', KEYS[4], ARGV[7], 'KEEPTTL') end
  if ARGV[8] == '1' then
    redis.call('HSET', KEYS[1], 'last_active_at_ms', now)
    for n = 1, 6 do redis.call('PEXPIRE', KEYS[n], ARGV[3]) end
    for n = 10, 11 do redis.call('PEXPIRE', KEYS[n], ARGV[3]) end
    redis.call('ZADD', KEYS[7], now, ARGV[4])
    redis.call('SADD', KEYS[8], ARGV[5])
    redis.call('ZADD', KEYS[9], string.format('%d', now + ARGV[3]), ARGV[6])
  elseif ARGV[7] ~= '' then
    redis.call('PEXPIRE', KEYS[4], redis.call('PTTL', KEYS[1]))
  end
end
local head = redis.call('HGETALL', KEYS[1])
table.insert(head, 1, answer)
return head
