-- Removes a delivery that has succeeded or failed permanently.
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
