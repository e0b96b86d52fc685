#!lua flags=allow-oom
-- Takes sessions that expired out of the indexes; those that live stay.
-- KEYS: 1 sessions of the tenant  2 tenants  3 expiring   then the heads of the sessions
-- ARGV: 1 tenant   then each session's id and member of expiring
-- Returns how many
local dropped = 0
for n = 4, #KEYS do
  if redis.call('EXISTS', KEYS[n]) == 0 then
    redis.call('ZREM', KEYS[1], ARGV[2 * n - 6])
    dropped = dropped + redis.call('ZREM', KEYS[3], ARGV[2 * n - 5])
  end
end
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
return dropped
