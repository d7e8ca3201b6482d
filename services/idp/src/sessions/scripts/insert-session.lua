-- Writes the record of a new session with version 1.
--
-- KEYS[1] record_key: hash
-- ARGV[1] sealed: the sealed record
-- ARGV[2] now_ms: time of the last use (ms since the epoch)
-- ARGV[3] life_ms: lifetime of the record
-- Reply: 1.

local record_key = KEYS[1]
local sealed = ARGV[1]
local now_ms = ARGV[2]
local life_ms = ARGV[3]

redis.call("HSET", record_key, "v", sealed, "n", 1, "s", now_ms)
return redis.call("PEXPIRE", record_key, life_ms)
