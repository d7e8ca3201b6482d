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
-- ARGV[6] region: empty, or the one whose name and number each value gets as its revision
-- ARGV[7] only_if_newer: 1 if a value of the same or a higher revision stays
-- Reply: the accounts that were written: not those whose value stays, or for which there is no room.

local suspensions_key = KEYS[1]
local writes = cjson.decode(ARGV[1])
local max_accounts = tonumber(ARGV[2])
local max_resumed = tonumber(ARGV[3])
local only_if_absent = ARGV[4]
local keeps_those_of_site = ARGV[5]
local region = ARGV[6]
local only_if_newer = ARGV[7]

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

-- A number and a region, both 0 for a value that has none. It is in the JSON object, or before `null`.
local function revision_of(value)
  local number, name = string.match(value or "", "^%d+ (%d+) (%S+) null$")
  if not number then
    local is_read, suspension = pcall(cjson.decode, string.match(value or "", "^%d+ (.*)$") or "null")
    local revision = is_read and type(suspension) == "table" and suspension.revision or ""
    number, name = string.match(tostring(revision), "^(%d+) (%S+)$")
  end
  return tonumber(number) or 0, name or ""
end

local function is_newer(value, known)
  local number, name = revision_of(value)
  local known_number, known_name = revision_of(known)
  return number > known_number or number == known_number and name > known_name
end

local function with_revision(value, number)
  local revision = string.format("%.0f", number) .. " " .. region
  if string.sub(value, -5) == " null" then return string.sub(value, 1, -5) .. revision .. " null" end
  return string.sub(value, 1, -2) .. ',"revision":"' .. revision .. '"}'
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
  local known = (region ~= "" or only_if_newer == "1") and redis.call("HGET", suspensions_key, account)
  if region ~= "" then
    local number = revision_of(known)
    value = with_revision(value, math.max(math.floor(now_us / 1000), number + 1))
  end
  if is_kept or only_if_newer == "1" and known and not is_newer(value, known) then
    -- Only the site changes it, or another region has changed it since.
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
