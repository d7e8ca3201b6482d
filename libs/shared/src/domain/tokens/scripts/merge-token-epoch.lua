-- Raises the token epoch of a subject to that of another region, unless it is as high.
--
-- The epoch never decreases. One that cannot be parsed counts as the highest, and stays.
--
-- KEYS[1] epoch_key
-- ARGV[1] epoch: of the other region (ms since the epoch)
-- ARGV[2] life_seconds: lifetime of the epoch
-- Reply: 1.

local epoch_key = KEYS[1]
local epoch = tonumber(ARGV[1])
local life_seconds = ARGV[2]

local stored = redis.call("GET", epoch_key)
local previous = stored and (tonumber(stored) or math.huge) or 0
if epoch > previous then redis.call("SET", epoch_key, string.format("%.0f", epoch), "EX", life_seconds) end
return 1
