-- Writes the state of accounts, and changes the version by which processes notice it.
--
-- Every value begins with the time from which it may be removed, so that the hash keeps what is in force, and for a day what was resumed.
-- The values are read once for all accounts, and not at all if nothing is to be written.
--
-- KEYS[1] suspensions_key
-- ARGV[1] writes: JSON list of pairs: account; and the time from which the value may be removed (ms since the epoch; 0: never), a blank, and
--   JSON, which is `null` for an account that was resumed
-- ARGV[2] max_accounts
-- ARGV[3] max_resumed
-- ARGV[4] only_if_absent: 1 if a value that is there stays
-- ARGV[5] keeps_those_of_site: 1 if a suspension in force stays unless it is by somebody who is limited to domains
-- Reply: the accounts that were written: not those whose value stays, or for which there is no room.

local suspensions_key = KEYS[1]
local writes = cjson.decode(ARGV[1])
local max_accounts = tonumber(ARGV[2])
local max_resumed = tonumber(ARGV[3])
local only_if_absent = ARGV[4]
local keeps_those_of_site = ARGV[5]

local wanted = {}
for _, write in ipairs(writes) do
  if only_if_absent ~= "1" or redis.call("HEXISTS", suspensions_key, write[1]) == 0 then wanted[#wanted + 1] = write end
end
if #wanted == 0 then return {} end

local function kind_of(value)
  return string.sub(value, -5) == " null" and "resumed" or "suspended"
end

local function is_of_site(value)
  local is_read, suspension = pcall(cjson.decode, string.match(value, "^%d+ (.*)$") or "null")
  return is_read and type(suspension) == "table" and suspension.isLimited ~= true
end

local time = redis.call("TIME")
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local limits = { suspended = max_accounts, resumed = max_resumed }
local counts = { suspended = 0, resumed = 0 }
local kinds = {}
local values = redis.call("HGETALL", suspensions_key)
for index = 1, #values, 2 do
  local field, value = values[index], values[index + 1]
  local removable_ms = tonumber(string.match(value, "^(%d+) ") or "0")
  if field == "" then
    -- The version.
  elseif removable_ms > 0 and removable_ms * 1000 <= now_us then
    redis.call("HDEL", suspensions_key, field)
  else
    kinds[field] = kind_of(value)
    counts[kinds[field]] = counts[kinds[field]] + 1
  end
end

local written = {}
for _, write in ipairs(wanted) do
  local account, value = write[1], write[2]
  local kind, previous = kind_of(value), kinds[account]
  local is_kept = keeps_those_of_site == "1"
    and previous == "suspended"
    and is_of_site(redis.call("HGET", suspensions_key, account))
  if is_kept then
    -- Only the site changes it.
  elseif previous == kind or counts[kind] < limits[kind] then
    if previous then counts[previous] = counts[previous] - 1 end
    counts[kind] = counts[kind] + 1
    kinds[account] = kind
    redis.call("HSET", suspensions_key, account, value)
    written[#written + 1] = account
  end
end
if #written == 0 then return {} end
local version = tonumber(redis.call("HGET", suspensions_key, "") or "0") or 0
redis.call("HSET", suspensions_key, "", string.format("%.0f", math.max(now_us, version + 1)))
return written
