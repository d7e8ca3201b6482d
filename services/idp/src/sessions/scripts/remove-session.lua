-- Removes the record of a session if its version is still the one that was read.
--
-- KEYS[1] record_key: hash
-- ARGV[1] expected_version: version that was read
-- Reply: "removed"; "gone" if there is no record; "changed" if the record has another version now.

local record_key = KEYS[1]
local expected_version = ARGV[1]

local version = redis.call("HGET", record_key, "n")
if not version then return "gone" end
if version ~= expected_version then return "changed" end
redis.call("UNLINK", record_key)
return "removed"
