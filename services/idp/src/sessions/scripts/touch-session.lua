-- Notes the use of a session and prolongs its record. A session that has ended is not created again.
--
-- KEYS[1] record_key: hash
-- ARGV[1] now_ms: time of the use (ms since the epoch)
-- ARGV[2] life_ms: lifetime of the record
-- Reply: 1 if there is a record, otherwise 0.

local record_key = KEYS[1]
local now_ms = ARGV[1]
local life_ms = ARGV[2]

if redis.call("EXISTS", record_key) == 0 then return 0 end
redis.call("HSET", record_key, "s", now_ms)
return redis.call("PEXPIRE", record_key, life_ms)
