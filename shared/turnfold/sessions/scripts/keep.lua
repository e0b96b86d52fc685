#!lua
-- Keeps a reply until it is committed, if its session is still the one that it was made for.
-- KEYS: 1 head  2 replies  3 ledger
-- ARGV: 1 incarnation   2 digest   3 reply   4 its lifetime ms   then what it cost: fields of the ledger and values
-- Returns 1, or 0 where the session was erased
for n = 5, #ARGV, 2 do redis.call('HINCRBYFLOAT', KEYS[3], ARGV[n], ARGV[n + 1]) end
if redis.call('HGET', KEYS[1], 'incarnation') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], string.format('%d', math.min(tonumber(ARGV[4]), redis.call('PTTL', KEYS[1]))))
return 1
