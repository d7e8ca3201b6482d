-- Replaces a registration, unless it has changed since it was read.
--
-- KEYS[1] registration_key
-- ARGV[1] read: the value that was read
-- ARGV[2] written: the new value
-- ARGV[3] life_seconds: its lifetime
-- Reply: "replaced", "changed" or "gone".

local registration_key = KEYS[1]
local read = ARGV[1]
local written = ARGV[2]
local life_seconds = ARGV[3]

local stored = redis.call("GET", registration_key)
if not stored then return "gone" end
if stored ~= read then return "changed" end
redis.call("SET", registration_key, written, "EX", life_seconds)
return "replaced"
