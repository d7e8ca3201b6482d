-- Lists a ban in one shard of the ban index, and removes bans that have expired or are too many.
--
-- The shard expires together with its last ban.
--
-- KEYS[1] shard_key: sorted set by the end of the ban (s since the epoch)
-- ARGV[1] end_seconds: end of the ban (s since the epoch)
-- ARGV[2] ban_key: the key of the ban, which is in another slot
-- ARGV[3] max_bans: bans that the shard may list
-- Reply: 1.

local shard_key = KEYS[1]
local end_seconds = ARGV[1]
local ban_key = ARGV[2]
local max_bans = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZREMRANGEBYSCORE", shard_key, "-inf", now_seconds)
redis.call("ZADD", shard_key, "GT", end_seconds, ban_key)
local excess = redis.call("ZCARD", shard_key) - max_bans
if excess > 0 then redis.call("ZREMRANGEBYRANK", shard_key, 0, excess - 1) end
local last_end = redis.call("ZRANGE", shard_key, -1, -1, "WITHSCORES")[2]
if last_end then redis.call("EXPIREAT", shard_key, last_end) end
return 1
