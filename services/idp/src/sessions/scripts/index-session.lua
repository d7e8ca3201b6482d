-- Lists a session in the index of its account. The index lives as long as its longest session.
--
-- KEYS[1] index_key: sorted set by the end of the session (ms since the epoch)
-- ARGV[1] end_ms: end of the session (ms since the epoch)
-- ARGV[2] life_ms: time until then (ms)
-- ARGV[3] uid: the session
-- Reply: 1 if this session determines the lifetime of the index, otherwise 0.

local index_key = KEYS[1]
local end_ms = ARGV[1]
local life_ms = ARGV[2]
local uid = ARGV[3]

redis.call("ZADD", index_key, end_ms, uid)
if redis.call("PEXPIRE", index_key, life_ms, "NX") == 1 then return 1 end
return redis.call("PEXPIRE", index_key, life_ms, "GT")
