-- Adds decisions to histories of one slot of a cluster; without a cluster, to histories of any shard.
--
-- A history is a list of sealed records, newest first, so a record begins with what this script reads: identity, first and last time (s),
-- count and reference, separated by spaces. Ordinary successes have `;<day>:<counts>` after the reference: the latest day since the epoch,
-- and the number of sign-ins on it and on each day before. A network also has sets of the accounts in whose histories its sign-ins are.
-- A call of a command costs more than anything else here, so lifetimes are prolonged only every six hours, and a list that is full is cut
-- by a quarter. The engine remembers which lists it prolonged, because what is pushed is pushed without reading the list.
--
-- KEYS[1] any key of the slot
-- ARGV[1] days: for which ordinary successes are counted
-- ARGV, then for each decision:
--   what to do: push (a new record), join (a record that may continue one), exist (push, if the account has a history), count (an
--     ordinary success), members (of a set)
--   key of the list or set
--   key of the index of the shard
--   digest of the account or network, its member in the index
--   lifetime (s); negative if the engine prolonged the list recently
--   maximum of records or members
--   identity of the record, or the members, each after its time (s), separated by spaces
--   first time (s), last time (s), count
--   reference, or an empty text
--   the sealed part, or an empty text
-- Reply: a text of one digit for each decision: 0 if it was not written, 1 if it was, 2 if its history was also prolonged.

local call = redis.call
local max_days = tonumber(ARGV[1])
-- A run of equal failures ends after an hour without one.
local gap = 3600
local day_seconds, prolong_seconds = 86400, 21600
-- Longer names make longer records.
local bytes_for_each = 320
local fields = 12

local function number(value) return string.format("%.0f", value) end

-- What the indexes get: one command each.
local indexed, order, longest = {}, {}, 0

local function prolong(key, index, digest, life, last)
  local seconds = math.abs(life) + day_seconds
  call("EXPIRE", key, number(seconds))
  local members = indexed[index]
  if not members then
    members = {}
    indexed[index] = members
    order[#order + 1] = index
  end
  members[#members + 1] = number(last)
  members[#members + 1] = digest
  longest = math.max(longest, seconds)
  return "2"
end

local function write_indexes()
  for _, index in ipairs(order) do
    call("ZADD", index, "GT", unpack(indexed[index]))
    call("EXPIRE", index, number(longest))
  end
end

local function cut(key, max)
  local keep, bytes = max - math.floor(max / 4), 0
  local records = call("LRANGE", key, 0, keep - 1)
  for i, record in ipairs(records) do
    bytes = bytes + #record
    if bytes > max * bytes_for_each then
      keep = i - 1
      break
    end
  end
  call("LTRIM", key, 0, math.max(1, keep) - 1)
end

local function header(identity, first, last, count)
  return identity .. " " .. number(first) .. " " .. number(last) .. " " .. number(count) .. " "
end

local function push(d)
  local record = header(d.identity, d.first, d.last, d.count) .. d.reference .. " " .. d.sealed
  local length = call("LPUSH", d.key, record)
  if length > d.max then cut(d.key, d.max) end
  if length > 1 and d.life < 0 then return "1" end
  return prolong(d.key, d.index, d.digest, d.life, d.last)
end

local function join(d)
  for i, record in ipairs(call("LRANGE", d.key, 0, -1)) do
    local other, first, last, count = string.match(record, "^(%S+) (%d+) (%d+) (%d+) ")
    if other == d.identity and d.first - tonumber(last) <= gap then
      local latest = math.max(d.last, tonumber(last))
      local merged = header(d.identity, math.min(d.first, tonumber(first)), latest, tonumber(count) + d.count)
      call("LSET", d.key, i - 1, merged .. d.reference .. " " .. d.sealed)
      if math.floor(tonumber(last) / prolong_seconds) == math.floor(latest / prolong_seconds) then return "1" end
      return prolong(d.key, d.index, d.digest, d.life, latest)
    end
  end
  return push(d)
end

-- Adds sign-ins to the counts by day. Returns the text of the days, their sum, and the first day.
local function add_days(written, day, count)
  local at, counts = string.match(written, "^(%d+):(.*)$")
  local latest, list = tonumber(at) or day, {}
  for one in string.gmatch(counts or "", "%d+") do list[#list + 1] = tonumber(one) end
  for _ = 1, math.min(day - latest, max_days) do table.insert(list, 1, 0) end
  latest = math.max(day, latest)
  local position = latest - day + 1
  if position > max_days then position = max_days end
  while #list < position do list[#list + 1] = 0 end
  list[position] = list[position] + count
  while #list > max_days or (#list > 1 and list[#list] == 0) do table.remove(list) end
  local sum, texts = 0, {}
  for i, one in ipairs(list) do
    sum = sum + one
    texts[i] = number(one)
  end
  return number(latest) .. ":" .. table.concat(texts, ","), sum, latest - #list + 1
end

local function count(d)
  local day = math.floor(d.last / day_seconds)
  local records = call("LRANGE", d.key, 0, -1)
  local bytes, oldest_at, oldest = 0, 0, math.huge
  for i, record in ipairs(records) do
    local other, first, last, _, reference = string.match(record, "^(%S+) (%d+) (%d+) (%d+) (%S+)")
    local days = reference and string.match(reference, ";(.*)$")
    if other == d.identity and days then
      local text, sum, first_day = add_days(days, day, d.count)
      local latest = math.max(d.last, tonumber(last))
      local begin = math.max(math.min(d.first, tonumber(first)), first_day * day_seconds)
      local place = d.reference .. ";" .. text .. " " .. d.sealed
      call("LSET", d.key, i - 1, header(d.identity, begin, latest, sum) .. place)
      if math.floor(tonumber(last) / prolong_seconds) == math.floor(latest / prolong_seconds) then return "1" end
      return prolong(d.key, d.index, d.digest, d.life, latest)
    end
    bytes = bytes + #record
    local used = tonumber(last) or 0
    if used < oldest then oldest_at, oldest = i, used end
  end
  local text = add_days("", day, d.count)
  local record = header(d.identity, d.first, d.last, d.count) .. d.reference .. ";" .. text .. " " .. d.sealed
  if oldest_at > 0 and (#records >= d.max or bytes + #record > d.max * bytes_for_each) then
    call("LSET", d.key, oldest_at - 1, record)
  else
    call("LPUSH", d.key, record)
  end
  return prolong(d.key, d.index, d.digest, d.life, d.last)
end

local actions = { push = push, join = join, count = count }

local function is_begun(d)
  for i, digest in ipairs(indexed[d.index] or {}) do
    if i % 2 == 0 and digest == d.digest then return true end
  end
  return false
end

function actions.exist(d) return (is_begun(d) or call("ZSCORE", d.index, d.digest)) and join(d) or "0" end

local replies = {}

-- The set may have a few more than its maximum, because it is trimmed at one of eight additions.
function actions.members(d)
  local members = {}
  for word in string.gmatch(d.identity, "%S+") do members[#members + 1] = word end
  local added = call("ZADD", d.key, "GT", unpack(members))
  if added > 0 and (added > 1 or (d.last + #replies) % 8 == 0) then
    call("ZREMRANGEBYRANK", d.key, 0, number(-1 - d.max))
  end
  return prolong(d.key, d.index, d.digest, d.life, d.last)
end

for at = 2, #ARGV, fields do
  local d = {
    key = ARGV[at + 1], index = ARGV[at + 2], digest = ARGV[at + 3], life = tonumber(ARGV[at + 4]), max = tonumber(ARGV[at + 5]),
    identity = ARGV[at + 6], first = tonumber(ARGV[at + 7]), last = tonumber(ARGV[at + 8]), count = tonumber(ARGV[at + 9]),
    reference = ARGV[at + 10], sealed = ARGV[at + 11],
  }
  replies[#replies + 1] = actions[ARGV[at]](d)
end
write_indexes()
return table.concat(replies)
