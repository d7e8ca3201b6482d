-- Removes what is too old from the index of a shard, and the histories without a recent decision if there are too many.
--
-- Histories that are removed because there are too many share the hash tag of the index.
--
-- KEYS[1] index_key: sorted set of accounts, networks or names by their last decision (s)
-- ARGV[1] now_seconds
-- ARGV[2] life_seconds
-- ARGV[3] max_histories
-- ARGV[4] start: beginning of the names of the shard's lists
-- Reply: number of histories that were removed.

local index_key = KEYS[1]
local start = ARGV[4]

redis.call("ZREMRANGEBYSCORE", index_key, "-inf", tonumber(ARGV[1]) - tonumber(ARGV[2]))
local excess = redis.call("ZCARD", index_key) - tonumber(ARGV[3])
if excess <= 0 then return 0 end
local removed = redis.call("ZPOPMIN", index_key, excess)
for i = 1, #removed, 2 do
  local list = start .. removed[i]
  redis.call("UNLINK", list .. ":ok", list .. ":first", list .. ":other", list .. ":accounts:ok", list .. ":accounts:other")
end
return #removed / 2
