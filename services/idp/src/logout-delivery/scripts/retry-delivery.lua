-- Counts a failed attempt and makes the delivery due again later. A delivery that has expired leaves the queue.
--
-- KEYS[1] queue_key: sorted set by due time (ms since the epoch)
-- KEYS[2] delivery_key: hash, with the hash tag of the queue
-- ARGV[1] id: id of the delivery
-- ARGV[2] delay_ms: time until the next attempt
-- Reply: 1 if the queue gained or lost the delivery, otherwise 0.

local queue_key = KEYS[1]
local delivery_key = KEYS[2]
local id = ARGV[1]
local delay_ms = tonumber(ARGV[2])

if redis.call("EXISTS", delivery_key) == 0 then return redis.call("ZREM", queue_key, id) end
local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call("HINCRBY", delivery_key, "a", 1)
return redis.call("ZADD", queue_key, now_ms + delay_ms, id)
