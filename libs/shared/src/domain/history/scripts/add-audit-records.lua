-- Adds audit records to their stream, and removes those beyond its number and age.
--
-- KEYS[1] records_key: stream of sealed records
-- ARGV, in this order: lifetime (s), maximum of records, then each record
-- Reply: 1.

local records_key = KEYS[1]

for i = 3, #ARGV do redis.call("XADD", records_key, "MAXLEN", "~", ARGV[2], "*", "r", ARGV[i]) end
local oldest_ms = (tonumber(redis.call("TIME")[1]) - tonumber(ARGV[1])) * 1000
redis.call("XTRIM", records_key, "MINID", "~", string.format("%.0f", oldest_ms))
redis.call("EXPIRE", records_key, ARGV[1])
return 1
