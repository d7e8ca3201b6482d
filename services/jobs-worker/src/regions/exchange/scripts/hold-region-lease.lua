-- Takes, renews or returns the lease of the worker that exchanges messages with other regions.
--
-- KEYS[1] lease_key
-- ARGV[1] holder
-- ARGV[2] life_ms: 0 returns the lease
-- Reply: 2 if this holder has taken it, 1 if it has renewed it

local lease_key = KEYS[1]
local holder = ARGV[1]
local life_ms = tonumber(ARGV[2])

local current = redis.call("GET", lease_key)
if current and current ~= holder then
  return 0
end
if life_ms == 0 then
  redis.call("DEL", lease_key)
  return 0
end
redis.call("SET", lease_key, holder, "PX", life_ms)
return current and 1 or 2
