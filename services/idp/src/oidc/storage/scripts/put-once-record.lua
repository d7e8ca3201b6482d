-- Writes a record that may be used once, with its lifetime.
--
-- KEYS[1] record_key: hash
-- ARGV[1] sealed: the sealed record
-- ARGV[2] life_seconds: lifetime of the record
-- Reply: 1.

local record_key = KEYS[1]
local sealed = ARGV[1]
local life_seconds = ARGV[2]

redis.call("HSET", record_key, "v", sealed)
redis.call("EXPIRE", record_key, life_seconds)
return 1
