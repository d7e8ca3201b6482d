-- Replaces a value if it is still the one that was read. Of several writers that read the same value, the first wins.
--
-- KEYS[1] value_key
-- ARGV[1] expected: the value that was read; empty if the key did not exist
-- ARGV[2] replacement: the new value
-- ARGV[3] life_seconds: lifetime of the new value
-- Reply: 1 if the value was replaced, 0 if another value is stored now.

local value_key = KEYS[1]
local expected = ARGV[1]
local replacement = ARGV[2]
local life_seconds = ARGV[3]

if (redis.call("GET", value_key) or "") ~= expected then return 0 end
redis.call("SET", value_key, replacement, "EX", life_seconds)
return 1
