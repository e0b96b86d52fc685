#!lua flags=allow-oom
-- Tells how a call of a model ended.
-- KEYS: 1 state of the model  2 calls at work
-- ARGV: 1 call id   2 tenant   3 slice   4 tokens more than were booked   5 'answered', 'failed' or 'unknown'
--       6 the model's own wish to be left alone, ms   7 failures to open   8 first pause ms   9 longest pause ms
--       10 forget ms
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREM', KEYS[2], ARGV[2] .. ':' .. ARGV[1])
if redis.call('HEXISTS', KEYS[1], 't' .. ARGV[3]) == 1 then
  redis.call('HINCRBY', KEYS[1], 't' .. ARGV[3], ARGV[4])
end
local pause = tonumber(ARGV[6])
redis.call('HDEL', KEYS[1], 'trial_until')
if ARGV[5] == 'answered' then
  redis.call('HDEL', KEYS[1], 'failures', 'open_until')
elseif ARGV[5] == 'failed' then
  local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
  local over = failures - tonumber(ARGV[7])
  if over >= 0 then
    pause = math.max(pause, math.min(tonumber(ARGV[9]), tonumber(ARGV[8]) * 2 ^ math.min(over, 30)))
  end
end
if pause > 0 then
  local until_ms = now + pause
  local present = tonumber(redis.call('HGET', KEYS[1], 'open_until') or '0')
  redis.call('HSET', KEYS[1], 'open_until', string.format('%d', math.max(until_ms, present)))
end
redis.call('PEXPIRE', KEYS[1], ARGV[10])
return 1
