-- Removes what is stored about an account, and notes when, so that what other regions have from before does not return.
--
-- KEYS[1] facts_key
-- KEYS[2] reviews_key
-- KEYS[3] flushed_key: time of the last flush (ms since the epoch); grows even if the clock of Redis is set back
-- ARGV[1] life_seconds: of this time
-- Reply: for the facts and the reviews, 1 if there were any

local life_seconds = ARGV[1]

local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local last = tonumber(redis.call("GET", KEYS[3]) or "") or 0
redis.call("SET", KEYS[3], string.format("%.0f", math.max(now, last + 1)), "EX", life_seconds)
return { redis.call("DEL", KEYS[1]), redis.call("DEL", KEYS[2]) }
