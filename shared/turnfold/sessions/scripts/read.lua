#!lua flags=no-writes
-- A consistent picture of a session: head, view, and the lines of the log that are to be read.
-- KEYS: 1 head  2 log  3 view
-- ARGV: 1 'turn' or 'live'
-- Returns {} where there is no session, else {head (flat), view or false, position of the first line behind the start,
--   lines from the start on, position, line, position, line... of the messages kept from before it}
-- The head names those in stretches: 3,7-9
local head = redis.call('HGETALL', KEYS[1])
if #head == 0 then return {} end
local told = redis.call('HMGET', KEYS[1], ARGV[1] == 'live' and 'live_from' or 'read_from', 'kept')
local start, kept = tonumber(told[1] or '1'), {}
for from, to in string.gmatch(told[2] or '', '(%d+)-?(%d*)') do
  local first = tonumber(from)
  local last = math.min(tonumber(to) or first, start - 1)
  if first <= last then
    for n, line in ipairs(redis.call('LRANGE', KEYS[2], first - 1, last - 1)) do
      kept[#kept + 1] = string.format('%d', first + n - 1)
      kept[#kept + 1] = line
    end
  end
end
return {head, redis.call('GET', KEYS[3]), string.format('%d', start), redis.call('LRANGE', KEYS[2], start - 1, -1), kept}
