-- Replaces the value of a remembered device's cookie when it is used. The previous one remains valid for a moment, because two tabs may sign in
-- at the same time and a browser may drop a response. Any other value was copied, or is older: the device is removed.
--
-- KEYS[1] devices_key: hash
-- ARGV[1] id: of the device
-- ARGV[2] presented: digest of the cookie's value
-- ARGV[3] successor: digest of the next value
-- ARGV[4] now_ms: ms since the epoch
-- ARGV[5] grace_ms: for which the previous value remains valid
-- Reply: used, repeated, reused, or unknown if there is no such device.

local devices_key = KEYS[1]
local id = ARGV[1]
local presented = ARGV[2]
local successor = ARGV[3]
local now_ms = tonumber(ARGV[4])
local grace_ms = tonumber(ARGV[5])

local value = redis.call("HGET", devices_key, id)
if not value then return "unknown" end
local since, _, current, previous, until_ms, sealed = string.match(value, "^(%d+) (%d+) (%S+) (%S+) (%d+) (%S+)$")
if current == presented then
  local fields = { since, ARGV[4], successor, presented, string.format("%.0f", now_ms + grace_ms), sealed }
  redis.call("HSET", devices_key, id, table.concat(fields, " "))
  return "used"
end
if previous == presented and now_ms < tonumber(until_ms) then return "repeated" end
redis.call("HDEL", devices_key, id)
return "reused"
