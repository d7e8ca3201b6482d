-- Reserves a place for a registration, unless there are too many. Registrations that have ended do not count.
--
-- KEYS[1] index_key: sorted set of all registrations by their end (s since the epoch)
-- KEYS[2] pending_key: sorted set of those of one network that no user has signed in with, by their end
-- ARGV[1] now_seconds: s since the epoch
-- ARGV[2] id: the registration
-- ARGV[3] end_seconds: end of the registration (s since the epoch)
-- ARGV[4] max_registrations: at most this many in all
-- ARGV[5] max_pending: at most this many of the network
-- ARGV[6] index_seconds: lifetime of the index
-- ARGV[7] pending_seconds: lifetime of the network's set
-- Reply: "reserved", "full" or "network_full".

local index_key = KEYS[1]
local pending_key = KEYS[2]
local now_seconds = ARGV[1]
local id = ARGV[2]
local end_seconds = ARGV[3]
local max_registrations = tonumber(ARGV[4])
local max_pending = tonumber(ARGV[5])
local index_seconds = ARGV[6]
local pending_seconds = ARGV[7]

redis.call("ZREMRANGEBYSCORE", index_key, "-inf", now_seconds)
redis.call("ZREMRANGEBYSCORE", pending_key, "-inf", now_seconds)
if redis.call("ZCARD", pending_key) >= max_pending then return "network_full" end
if redis.call("ZCARD", index_key) >= max_registrations then return "full" end
redis.call("ZADD", index_key, end_seconds, id)
redis.call("ZADD", pending_key, end_seconds, id)
redis.call("EXPIRE", index_key, index_seconds)
redis.call("EXPIRE", pending_key, pending_seconds)
return "reserved"
