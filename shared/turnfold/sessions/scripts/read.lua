#!lua flags=no-writes
-- A consistent picture of a session: head, view, and the lines of the log that are to be read.
-- KEYS: 1 head  2 log  3 view
-- ARGV: 1 'turn' or 'live'
-- Returns {} where there is no session, else {head (flat), view or false, position of the first line behind the start,
--   lines from the start on, position, line, position, line... of the messages kept from before it}
local head = redis.call('HGETALL', KEYS[1])
if #head == 0 then return {} end
local told = redis.call('HMGET', KEYS[1], ARGV[1] == 'live' and 'live_from' or 'read_from', 'kept')
local start, kept = tonumber(told[1] or '1'), {}
for position in string.gmatch(told[2] or '', '%d+') do
  if tonumber(position) < start then
    kept[#kept + 1] = position
    kept[#kept + 1] = redis.call('LINDEX', KEYS[2], tonumber(position) - 1) or ''
  end
end
return {head, redis.call('GET', KEYS[3]), string.format('%d', start), redis.call('LRANGE', KEYS[2], start - 1, -1), kept}
