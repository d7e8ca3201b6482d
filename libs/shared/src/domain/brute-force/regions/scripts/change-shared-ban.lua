-- Adds a ban of another region to a network and rule, or removes bans of any region from it.
--
-- A network may be banned by several regions. Each ban has an identifier; the ban that ends last is written where engines read bans. A
-- removed identifier is remembered until its ban would have ended, so that a message that comes late, or twice, cannot bring it back. A ban
-- that an engine wrote here gets its identifier from the region and the time at which it began.
--
-- KEYS[1] ban_key
-- KEYS[2] origins_key: hash: identifier to the end of its ban (ms since the epoch), negative if it was removed; the field with the empty
--   name has the ban that this script wrote
-- ARGV[1] change: JSON object
--   own: name of this region
--   network, rule
--   add, remove: lists of { id, remainingMs }
--   removesAll: true to remove every ban that is known here
-- Reply: name and value of each field.
--   ban: the ban in force, or nil if there is none
--   removed: JSON list of { id, remainingMs }: the removed bans that are remembered
--   changed: 1 if the ban in force is another one than before, otherwise 0

local ban_key, origins_key = KEYS[1], KEYS[2]
local change = cjson.decode(ARGV[1])

-- Two regions measure the same remaining time with different delays.
local margin_ms = 60000
local max_removed = 256

local call = redis.call
local time = call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format("%.0f", number) end

local stored = call("GET", ban_key)
local ends, written = {}, nil
local known = call("HGETALL", origins_key)
for i = 1, #known, 2 do
  if known[i] == "" then
    written = known[i + 1]
  else
    local end_ms = tonumber(known[i + 1]) or 0
    if math.abs(end_ms) > now then ends[known[i]] = end_ms end
  end
end
local stored_end = 0
if stored then
  local began, ended = string.match(stored, "^(%d+) (%d+) ")
  stored_end = tonumber(ended) or 0
  local id = began and stored ~= written and change.own .. " " .. began
  if id and not ends[id] and stored_end > now then ends[id] = stored_end end
end

local function remove(id, end_ms)
  local before = ends[id] or 0
  -- Before: the end of the ban, or of the memory of its removal, which includes the margin.
  ends[id] = -math.max(before < 0 and -before or before + margin_ms, end_ms + margin_ms)
end
if change.removesAll then
  for id, end_ms in pairs(ends) do
    if end_ms > 0 then remove(id, end_ms) end
  end
end
for _, removed in ipairs(change.remove or {}) do
  if removed.remainingMs > -margin_ms then remove(removed.id, now + removed.remainingMs) end
end
for _, added in ipairs(change.add or {}) do
  local end_ms = math.floor(now + added.remainingMs)
  local before = ends[added.id]
  if added.remainingMs > 0 and (not before or before > end_ms) then ends[added.id] = end_ms end
end

local removed, last_end, latest = {}, now, 0
for id, end_ms in pairs(ends) do
  latest = math.max(latest, math.abs(end_ms))
  if end_ms > 0 then
    last_end = math.max(last_end, end_ms)
  else
    removed[#removed + 1] = { id = id, remainingMs = math.floor(-end_ms - margin_ms - now) }
  end
end
table.sort(removed, function(a, b) return a.remainingMs < b.remainingMs or a.remainingMs == b.remainingMs and a.id < b.id end)
while #removed > max_removed do ends[table.remove(removed, 1).id] = nil end

local ban = stored
if last_end <= now then
  ban = false
  if stored then call("DEL", ban_key) end
elseif not stored or last_end ~= stored_end then
  ban = text(now) .. " " .. text(last_end) .. " " .. change.network .. " " .. change.rule
  call("SET", ban_key, ban, "PX", text(last_end - now))
  written = ban
end

call("DEL", origins_key)
local fields = {}
for id, end_ms in pairs(ends) do
  fields[#fields + 1] = id
  fields[#fields + 1] = text(end_ms)
end
if #fields > 0 then
  call("HSET", origins_key, "", ban == written and written or "", unpack(fields))
  call("PEXPIRE", origins_key, text(latest - now))
end
return { "ban", ban, "removed", #removed > 0 and cjson.encode(removed) or "[]", "changed", ban == stored and 0 or 1 }
