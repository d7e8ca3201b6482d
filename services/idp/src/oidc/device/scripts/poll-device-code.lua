-- Decides whether a device may poll now. A device that polls too early must wait five seconds longer each time.
--
-- A fifth of the interval is tolerated, for delays in the network. The script uses the time of Redis, so all replicas
-- agree.
--
-- KEYS[1] poll_key: hash
-- ARGV[1] interval_seconds: the interval at first
-- ARGV[2] life_seconds: lifetime of the key
-- Reply: 1 if the device may poll, 0 if it polls too early.

local poll_key = KEYS[1]
local interval_seconds = ARGV[1]
local life_seconds = ARGV[2]

local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local last_ms = redis.call("HGET", poll_key, "t")
local current_seconds = tonumber(redis.call("HGET", poll_key, "i") or interval_seconds)
local is_early = last_ms and now_ms - tonumber(last_ms) < current_seconds * 800
if is_early then redis.call("HSET", poll_key, "i", current_seconds + 5) end
redis.call("HSET", poll_key, "t", string.format("%.0f", now_ms))
redis.call("EXPIRE", poll_key, life_seconds)
return is_early and 0 or 1
