-- Writes the state of one account, and changes the version by which processes notice it.
--
-- Every value begins with the time from which it may be removed, so that the hash keeps what is in force, and for a day what was resumed.
--
-- KEYS[1] suspensions_key
-- ARGV[1] account
-- ARGV[2] value: the time from which it may be removed (ms since the epoch; 0: never), a blank, and JSON
-- ARGV[3] max_accounts
-- ARGV[4] only_if_absent: 1 if a value that is there stays
-- Reply: 1 if it was written; 0 if there is a value already, or no room.

local suspensions_key = KEYS[1]
local account = ARGV[1]
local value = ARGV[2]
local max_accounts = tonumber(ARGV[3])
local only_if_absent = ARGV[4]

local time = redis.call("TIME")
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local values = redis.call("HGETALL", suspensions_key)
local kept, exists = 0, false
for index = 1, #values, 2 do
  local field = values[index]
  local removable_ms = tonumber(string.match(values[index + 1], "^(%d+) ") or "0")
  if field == "" then
    -- The version.
  elseif removable_ms > 0 and removable_ms * 1000 <= now_us then
    redis.call("HDEL", suspensions_key, field)
  else
    kept = kept + 1
    exists = exists or field == account
  end
end
if exists and only_if_absent == "1" then return 0 end
if not exists and kept >= max_accounts then return 0 end
redis.call("HSET", suspensions_key, account, value)
local previous = tonumber(redis.call("HGET", suspensions_key, "") or "0") or 0
redis.call("HSET", suspensions_key, "", string.format("%.0f", math.max(now_us, previous + 1)))
return 1
