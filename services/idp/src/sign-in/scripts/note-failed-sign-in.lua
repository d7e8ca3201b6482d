-- Adds a failed sign-in to a shard, and removes those that are too many or too old.
--
-- KEYS[1] shard_key: sorted set by time (ms since the epoch)
-- ARGV[1] time_ms: time of the sign-in (ms since the epoch)
-- ARGV[2] entry: digest of the reference and the sealed record
-- ARGV[3] max_entries: entries that the shard may have
-- ARGV[4] life_seconds: age at which an entry is removed
-- Reply: 1.

local shard_key = KEYS[1]
local time_ms = tonumber(ARGV[1])
local entry = ARGV[2]
local max_entries = tonumber(ARGV[3])
local life_seconds = tonumber(ARGV[4])

redis.call("ZADD", shard_key, time_ms, entry)
redis.call("ZREMRANGEBYRANK", shard_key, 0, -1 - max_entries)
redis.call("ZREMRANGEBYSCORE", shard_key, "-inf", time_ms - 1000 * life_seconds)
redis.call("EXPIRE", shard_key, life_seconds)
return 1
