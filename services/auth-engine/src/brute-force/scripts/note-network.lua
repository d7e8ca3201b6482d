-- Notes that an account signed in from a network, and removes networks that are too old or too many.
--
-- KEYS[1] known_key: sorted set of networks by the last sign-in (s since the epoch)
-- ARGV[1] network
-- ARGV[2] known_seconds: time for which a network is known
-- ARGV[3] max_networks
-- Reply: 1.

local known_key = KEYS[1]
local network = ARGV[1]
local known_seconds = tonumber(ARGV[2])
local max_networks = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZADD", known_key, now_seconds, network)
redis.call("ZREMRANGEBYSCORE", known_key, "-inf", now_seconds - known_seconds)
redis.call("ZREMRANGEBYRANK", known_key, 0, -1 - max_networks)
redis.call("EXPIRE", known_key, known_seconds)
return 1
