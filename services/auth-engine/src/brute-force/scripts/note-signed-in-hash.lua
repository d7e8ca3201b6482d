-- Notes a password hash with which an account signed in, and removes those that are too old or too many.
--
-- KEYS[1] hashes_key: sorted set of digests by the last sign-in (s since the epoch)
-- ARGV[1] digest
-- ARGV[2] max_hashes
-- ARGV[3] life_seconds: age at which a hash is removed
-- Reply: 1.

local hashes_key = KEYS[1]
local digest = ARGV[1]
local max_hashes = tonumber(ARGV[2])
local life_seconds = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZADD", hashes_key, now_seconds, digest)
redis.call("ZREMRANGEBYSCORE", hashes_key, "-inf", now_seconds - life_seconds)
redis.call("ZREMRANGEBYRANK", hashes_key, 0, -1 - max_hashes)
redis.call("EXPIRE", hashes_key, life_seconds)
return 1
