-- Reports whether an account signed in from a network recently.
--
-- KEYS[1] known_key: sorted set of networks by the last sign-in (s since the epoch)
-- ARGV[1] network
-- ARGV[2] known_seconds: time for which a network is known
-- Reply: 1 if the network is known, otherwise 0.

local known_key = KEYS[1]
local network = ARGV[1]
local known_seconds = tonumber(ARGV[2])

local at_seconds = redis.call("ZSCORE", known_key, network)
local now_seconds = tonumber(redis.call("TIME")[1])
return at_seconds and tonumber(at_seconds) > now_seconds - known_seconds and 1 or 0
