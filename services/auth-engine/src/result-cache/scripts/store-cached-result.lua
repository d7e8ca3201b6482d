-- Stores a result if the account's epoch is still the one that was read before the backend was queried.
--
-- A flush changes the epoch, so a login that was under way during a flush stores nothing. Both indexes list the
-- keys that a later flush must delete. All keys have the hash tag of the account, except the login name's, which is
-- only listed.
--
-- KEYS[1] epoch_key: absent for an account that was never flushed, which counts as "0"
-- KEYS[2] result_key
-- KEYS[3] results_key: sorted set of the keys of cached results, by expiry (ms since the epoch)
-- KEYS[4] names_key: sorted set of the keys of login names, by expiry (ms since the epoch)
-- ARGV[1] expected_epoch
-- ARGV[2] value: the sealed result
-- ARGV[3] life_ms: lifetime of the result
-- ARGV[4] login_name_key: key of the login name; empty if the user typed the account's own name
-- ARGV[5] index_seconds: lifetime of the indexes and of login names
-- ARGV[6] max_indexed: members that an index may have
-- Reply: 1 if the result was stored, otherwise 0.

local epoch_key = KEYS[1]
local result_key = KEYS[2]
local results_key = KEYS[3]
local names_key = KEYS[4]
local expected_epoch = ARGV[1]
local value = ARGV[2]
local life_ms = tonumber(ARGV[3])
local login_name_key = ARGV[4]
local index_seconds = tonumber(ARGV[5])
local max_indexed = tonumber(ARGV[6])

if (redis.call("GET", epoch_key) or "0") ~= expected_epoch then return 0 end
local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
-- A result that is stored again adds nothing. After a new one in every eight milliseconds, what has expired is removed.
local function add_to_index(index_key, member, member_life_ms)
  if redis.call("ZADD", index_key, now_ms + member_life_ms, member) == 1 and now_ms % 8 == 0 then
    redis.call("ZREMRANGEBYSCORE", index_key, "-inf", now_ms)
    redis.call("ZREMRANGEBYRANK", index_key, 0, -1 - max_indexed)
  end
  redis.call("EXPIRE", index_key, index_seconds)
end
redis.call("SET", result_key, value, "PX", life_ms)
add_to_index(results_key, result_key, life_ms)
if login_name_key ~= "" then add_to_index(names_key, login_name_key, index_seconds * 1000) end
return 1
