-- Notes what has changed, so that other regions read it.
--
-- Versions grow even if the clock of Redis is set back.
--
-- KEYS[1] changes_key: sorted set of what has changed by its version (us since the epoch)
-- ARGV[1] max_entries
-- ARGV[2] life_seconds
-- ARGV[3] changed: JSON list of texts
-- Reply: version of the last one, as text

local changes_key = KEYS[1]
local max_entries = tonumber(ARGV[1])
local life_seconds = ARGV[2]
local changed = cjson.decode(ARGV[3])

local time = redis.call("TIME")
local last = tonumber(redis.call("ZRANGE", changes_key, -1, -1, "WITHSCORES")[2]) or 0
local version = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), last + 1)
for index, name in ipairs(changed) do
  redis.call("ZADD", changes_key, string.format("%.0f", version + index - 1), name)
end
local excess = redis.call("ZCARD", changes_key) - max_entries
if excess > 0 then redis.call("ZREMRANGEBYRANK", changes_key, 0, excess - 1) end
redis.call("EXPIRE", changes_key, life_seconds)
return string.format("%.0f", version + #changed - 1)
