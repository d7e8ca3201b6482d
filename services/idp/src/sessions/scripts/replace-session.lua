-- Replaces the record of a session if its version is still the one that was read, and increments the version.
--
-- A session that has ended has no record, so it is not created again.
--
-- KEYS[1] record_key: hash
-- ARGV[1] expected_version: version that was read
-- ARGV[2] sealed: the sealed record
-- ARGV[3] life_ms: lifetime of the record
-- Reply: 1 if the record was replaced, otherwise 0.

local record_key = KEYS[1]
local expected_version = ARGV[1]
local sealed = ARGV[2]
local life_ms = ARGV[3]

if redis.call("HGET", record_key, "n") ~= expected_version then return 0 end
redis.call("HSET", record_key, "v", sealed, "n", expected_version + 1)
redis.call("PEXPIRE", record_key, life_ms)
return 1
