#!lua
-- Books a call of a model, if it may be made now. Limits of 0 are none.
-- KEYS: 1 state of the model  2 calls at work  3 tenants that wait
-- ARGV: 1 call id   2 tenant   3 tokens   4 longest ms   5 requests a minute   6 tokens a minute   7 calls at a time
--       8 calls at a time of a tenant   9 slice ms   10 slices   11 asking ms   12 forget ms
--       13 how long the one call that tries an ill model holds others off, ms
-- Returns {'', 0, slice} | {refusal, wait ms, slice}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local slice_ms, slices = tonumber(ARGV[9]), tonumber(ARGV[10])
local slice = math.floor(now / slice_ms)

-- Tenants are told apart within the sorted sets by what stands before the last colon.
local tenant = ARGV[2]
local function keep()
  for n = 1, 3 do redis.call('PEXPIRE', KEYS[n], ARGV[12]) end
end
local function refuse(why, wait)
  redis.call('ZADD', KEYS[3], string.format('%d', now + ARGV[11]), tenant)
  keep()
  return {why, string.format('%d', math.max(1, math.ceil(wait))), string.format('%d', slice)}
end

local state = redis.call('HMGET', KEYS[1], 'open_until', 'trial_until')
local open_until = tonumber(state[1] or '0')
if open_until > now then return refuse('open', open_until - now) end
-- One call tries a model that was ill; what it tells may come at any moment.
if open_until > 0 and tonumber(state[2] or '0') > now then return refuse('open', 500) end

-- Calls at work: who never told of an end is over by its longest time.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local most, tenants_most = tonumber(ARGV[7]), tonumber(ARGV[8])
if most > 0 or tenants_most > 0 then
  local running, mine, others = redis.call('ZRANGE', KEYS[2], 0, -1), 0, {}
  for _, member in ipairs(running) do
    local whose = string.match(member, '^(.*):[^:]*$')
    if whose == tenant then mine = mine + 1 else others[whose] = true end
  end
  if tenants_most > 0 and mine >= tenants_most then return refuse('busy', 250) end
  if most > 0 then
    if #running >= most then return refuse('busy', 250) end
    local waits = false
    for _, whose in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
      if whose ~= tenant then
        waits = true
        others[whose] = true
      end
    end
    local tenants = 1
    for _ in pairs(others) do tenants = tenants + 1 end
    -- Above its share a tenant takes only what nobody else waits for.
    if waits and mine >= math.max(1, math.floor(most / tenants)) then return refuse('busy', 250) end
  end
end

-- What was booked in the last minute, newest slice first; those before are forgotten.
local function spent(letter)
  local names = {}
  for n = 0, slices - 1 do names[#names + 1] = letter .. string.format('%d', slice - n) end
  return redis.call('HMGET', KEYS[1], unpack(names))
end
-- In how many ms the oldest slices have gone whose end makes room for `more`; nil: there is room.
local function room_in(letter, limit, more)
  if limit == 0 then return nil end
  local found, sum = spent(letter), 0
  for n = 1, slices do sum = sum + tonumber(found[n] or '0') end
  -- A call larger than the limit is made alone, rather than never.
  if sum + more <= limit or sum <= 0 then return nil end
  for n = slices, 1, -1 do
    sum = sum - tonumber(found[n] or '0')
    if sum + more <= limit or sum <= 0 then
      return (slice - (n - 1) + slices) * slice_ms - now
    end
  end
  return slice_ms
end
local tokens = tonumber(ARGV[3])
local requests_in, tokens_in = room_in('r', tonumber(ARGV[5]), 1), room_in('t', tonumber(ARGV[6]), tokens)
if requests_in or tokens_in then return refuse('budget', math.max(requests_in or 0, tokens_in or 0)) end

if open_until > 0 then redis.call('HSET', KEYS[1], 'trial_until', string.format('%d', now + ARGV[13])) end
redis.call('ZADD', KEYS[2], string.format('%d', now + ARGV[4]), tenant .. ':' .. ARGV[1])
redis.call('ZREM', KEYS[3], tenant)
redis.call('HINCRBY', KEYS[1], 'r' .. string.format('%d', slice), 1)
redis.call('HINCRBY', KEYS[1], 't' .. string.format('%d', slice), tokens)
for n = slices, 2 * slices do
  local old = string.format('%d', slice - n)
  redis.call('HDEL', KEYS[1], 'r' .. old, 't' .. old)
end
keep()
return {'', '0', string.format('%d', slice)}
