-- Adds a delivery to the queue. The script uses the time of Redis, so all replicas agree.
--
-- KEYS[1] queue_key: sorted set by due time (ms since the epoch)
-- KEYS[2] delivery_key: hash, with the hash tag of the queue
-- ARGV[1] id: id of the delivery
-- ARGV[2] sealed: the sealed delivery
-- ARGV[3] life_seconds: lifetime of the delivery and the queue
-- ARGV[4] delay_ms: time until the delivery is due
-- Reply: 1.

local queue_key = KEYS[1]
local delivery_key = KEYS[2]
local id = ARGV[1]
local sealed = ARGV[2]
local life_seconds = ARGV[3]
local delay_ms = tonumber(ARGV[4])

local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call("HSET", delivery_key, "v", sealed, "a", 0)
redis.call("EXPIRE", delivery_key, life_seconds)
redis.call("ZADD", queue_key, now_ms + delay_ms, id)
redis.call("EXPIRE", queue_key, life_seconds)
return 1
