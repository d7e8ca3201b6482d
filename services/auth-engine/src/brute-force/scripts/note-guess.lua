-- Adds a member to a set of recent members, and removes those that are too old or too many.
--
-- KEYS[1] recent_key: sorted set by time (s since the epoch)
-- ARGV[1] member
-- ARGV[2] max_members
-- ARGV[3] life_seconds: age at which a member is removed
-- Reply: 1.

local recent_key = KEYS[1]
local member = ARGV[1]
local max_members = tonumber(ARGV[2])
local life_seconds = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZADD", recent_key, now_seconds, member)
redis.call("ZREMRANGEBYSCORE", recent_key, "-inf", now_seconds - life_seconds)
local excess = redis.call("ZCARD", recent_key) - max_members
if excess > 0 then redis.call("ZREMRANGEBYRANK", recent_key, 0, excess - 1) end
redis.call("EXPIRE", recent_key, life_seconds)
return 1
