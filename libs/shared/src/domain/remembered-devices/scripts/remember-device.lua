-- Stores a remembered device of an account. Removes expired ones, and the one that was used longest ago if there are too many.
--
-- Each value is `<since ms> <used ms> <digest> <previous digest or -> <previous until ms> <sealed>`.
--
-- KEYS[1] devices_key: hash
-- ARGV[1] id: of the device
-- ARGV[2] value
-- ARGV[3] now_ms: ms since the epoch
-- ARGV[4] life_ms: lifetime of a device
-- ARGV[5] max_devices
-- Reply: the number of devices.

local devices_key = KEYS[1]
local id = ARGV[1]
local value = ARGV[2]
local now_ms = tonumber(ARGV[3])
local life_ms = tonumber(ARGV[4])
local max_devices = tonumber(ARGV[5])

local all = redis.call("HGETALL", devices_key)
local kept = {}
for i = 1, #all, 2 do
  local since, used = string.match(all[i + 1], "^(%d+) (%d+) ")
  if since == nil or tonumber(since) + life_ms <= now_ms then
    redis.call("HDEL", devices_key, all[i])
  elseif all[i] ~= id then
    kept[#kept + 1] = { tonumber(used), all[i] }
  end
end
table.sort(kept, function(a, b) return a[1] < b[1] end)
for i = 1, #kept + 1 - max_devices do
  redis.call("HDEL", devices_key, kept[i][2])
end
redis.call("HSET", devices_key, id, value)
redis.call("PEXPIRE", devices_key, life_ms)
return redis.call("HLEN", devices_key)
