#!lua flags=no-writes
-- Reads a stretch of the log, with the head and the view that belong to it. A script, since a pipeline of a cluster's
-- client can't read within a transaction.
-- KEYS: 1 head  2 view  3 log
-- ARGV: 1 first  2 last, counted from 0
-- Returns {head (flat), view or false, lines}
return {redis.call('HGETALL', KEYS[1]), redis.call('GET', KEYS[2]), redis.call('LRANGE', KEYS[3], ARGV[1], ARGV[2])}
