-- Notes that counts have changed, so that other regions read them.
--
-- Versions grow even if the clock of Redis is set back.
--
-- KEYS[1] changes_key: sorted set of the changed counts by their version (us since the epoch)
-- ARGV[1] max_counts
-- ARGV[2] life_seconds
-- ARGV[3] counts: JSON list of texts
-- Reply: version of the last count, as text

local changes_key = KEYS[1]
local max_counts = tonumber(ARGV[1])
local life_seconds = ARGV[2]
local counts = cjson.decode(ARGV[3])

local time = redis.call("TIME")
local last = tonumber(redis.call("ZRANGE", changes_key, -1, -1, "WITHSCORES")[2]) or 0
local version = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), last + 1)
for index, count in ipairs(counts) do
  redis.call("ZADD", changes_key, string.format("%.0f", version + index - 1), count)
end
local excess = redis.call("ZCARD", changes_key) - max_counts
if excess > 0 then redis.call("ZREMRANGEBYRANK", changes_key, 0, excess - 1) end
redis.call("EXPIRE", changes_key, life_seconds)
return string.format("%.0f", version + #counts - 1)
