#!lua flags=no-writes
-- A consistent picture of a session: head, view, and the lines of the log that the view tells to read.
-- KEYS: 1 head  2 log  3 view
-- ARGV: 1 'turn' or 'live'
-- Returns {} where there is no session, else {head (flat), view or false, position of the first line behind the start,
--   lines from the start on, position, line, position, line... of the messages kept from before it}
local head = redis.call('HGETALL', KEYS[1])
if #head == 0 then return {} end
local view = redis.call('GET', KEYS[3])
local start, kept = 1, {}
if view then
  local told = cjson.decode(view)
  start = (ARGV[1] == 'live') and told.live or told.read
  for _, position in ipairs(told.kept) do
    if position < start then
      kept[#kept + 1] = string.format('%d', position)
      kept[#kept + 1] = redis.call('LINDEX', KEYS[2], position - 1) or ''
    end
  end
end
return {head, view, string.format('%d', start), redis.call('LRANGE', KEYS[2], start - 1, -1), kept}
