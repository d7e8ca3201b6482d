-- Raises the token epoch of a subject, which revokes every token of an earlier epoch.
--
-- The epoch never decreases. If Redis has lost it, the current time is above every earlier value, so the next revocation
-- cannot make a revoked token valid again.
--
-- KEYS[1] epoch_key
-- ARGV[1] life_seconds: lifetime of the epoch
-- Reply: the new epoch (ms since the epoch), as text.

local epoch_key = KEYS[1]
local life_seconds = ARGV[1]

local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local previous = tonumber(redis.call("GET", epoch_key) or "0") or 0
local epoch = string.format("%.0f", math.max(now_ms, previous + 1))
redis.call("SET", epoch_key, epoch, "EX", life_seconds)
return epoch
