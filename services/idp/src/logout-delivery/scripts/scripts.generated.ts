// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const addDelivery = {
  name: "addDelivery",
  keys: ["queueKey", "deliveryKey"] as const,
  args: ["id", "sealed", "lifeSeconds", "delayMs"] as const,
  lua: `-- Adds a delivery to the queue. The script uses the time of Redis, so all replicas agree.
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
`,
};

export const claimDeliveries = {
  name: "claimDeliveries",
  keys: ["queueKey"] as const,
  args: ["maxDeliveries", "leaseMs"] as const,
  lua: `-- Claims deliveries that are due. A claimed delivery is due again when its lease ends, so nothing is lost if the
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
`,
};

export const retryDelivery = {
  name: "retryDelivery",
  keys: ["queueKey", "deliveryKey"] as const,
  args: ["id", "delayMs"] as const,
  lua: `-- Counts a failed attempt and makes the delivery due again later. A delivery that has expired leaves the queue.
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
`,
};

export const settleDelivery = {
  name: "settleDelivery",
  keys: ["queueKey", "deliveryKey"] as const,
  args: ["id"] as const,
  lua: `-- Removes a delivery that has succeeded or failed permanently.
--
-- KEYS[1] queue_key: sorted set by due time (ms since the epoch)
-- KEYS[2] delivery_key: hash, with the hash tag of the queue
-- ARGV[1] id: id of the delivery
-- Reply: 1 if the delivery was in the queue, otherwise 0.

local queue_key = KEYS[1]
local delivery_key = KEYS[2]
local id = ARGV[1]

redis.call("UNLINK", delivery_key)
return redis.call("ZREM", queue_key, id)
`,
};
