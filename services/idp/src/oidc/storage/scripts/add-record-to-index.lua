-- Lists a record in an index, and removes records that have expired. The index lives as long as its longest record.
--
-- KEYS[1] index_key: sorted set by the end of the record (s since the epoch)
-- ARGV[1] now_seconds: s since the epoch
-- ARGV[2] member: the record
-- ARGV[3] end_seconds: end of the record (s since the epoch)
-- ARGV[4] life_seconds: lifetime of the record
-- Reply: 1.

local index_key = KEYS[1]
local now_seconds = ARGV[1]
local member = ARGV[2]
local end_seconds = ARGV[3]
local life_seconds = tonumber(ARGV[4])

redis.call("ZREMRANGEBYSCORE", index_key, "-inf", now_seconds)
redis.call("ZADD", index_key, end_seconds, member)
if redis.call("TTL", index_key) < life_seconds then redis.call("EXPIRE", index_key, life_seconds) end
return 1
