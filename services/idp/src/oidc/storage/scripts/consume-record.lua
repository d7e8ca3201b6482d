-- Consumes a record that may be used once.
--
-- The script uses the time of Redis, so all replicas agree.
--
-- KEYS[1] record_key: hash
-- ARGV[1] grace_ms: time after the first use in which a repeatable record may be used again
-- ARGV[2] is_repeatable: 1 if the grace applies, 0 if every second use is rejected
-- Reply: "consumed"; "used" if it was used before; "unknown" if there is no such record.

local record_key = KEYS[1]
local grace_ms = tonumber(ARGV[1])
local is_repeatable = ARGV[2] == "1"

if redis.call("EXISTS", record_key) == 0 then return "unknown" end
local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local used_at_ms = redis.call("HGET", record_key, "c")
if not used_at_ms then
  redis.call("HSET", record_key, "c", string.format("%.0f", now_ms))
  return "consumed"
end
if is_repeatable and now_ms - tonumber(used_at_ms) < grace_ms then return "consumed" end
return "used"
