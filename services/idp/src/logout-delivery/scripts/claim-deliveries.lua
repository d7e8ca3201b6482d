-- Claims deliveries that are due. A claimed delivery is due again when its lease ends, so nothing is lost if the
-- process that claimed it is killed.
--
-- KEYS[1] queue_key: sorted set by due time (ms since the epoch)
-- ARGV[1] max_deliveries
-- ARGV[2] lease_ms: time for which no other process claims these deliveries
-- Reply: the ids of the claimed deliveries.

local queue_key = KEYS[1]
local max_deliveries = ARGV[1]
local lease_ms = tonumber(ARGV[2])

local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local due = redis.call("ZRANGE", queue_key, "-inf", now_ms, "BYSCORE", "LIMIT", 0, max_deliveries)
for _, id in ipairs(due) do redis.call("ZADD", queue_key, now_ms + lease_ms, id) end
return due
