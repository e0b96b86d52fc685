#!lua flags=allow-oom
-- A session waits no more, unless it was asked for anew.
-- KEYS: 1 waiting
-- ARGV: 1 the session, as `waiting` names it   2 since when it waited
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1
