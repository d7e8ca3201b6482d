-- Flushes a count: removes what was counted here, and voids what other regions had counted by then.
--
-- A void count keeps its version, so that a message that comes late, or twice, cannot bring the old figures back.
--
-- KEYS, all with one hash tag: counts of the other regions; then the keys that are removed
-- ARGV[1] flush: JSON object
--   region: the other region in which the flush took place; absent if it is this one
--   version: of the flush there, as text
--   cuts: list of { region, version }: counts of other regions up to these versions are void; absent if all that are known here are
--   own: name of this region, whose counts are not among them
--   lifeMs
-- Reply: name and value of each field.
--   isNew: 0 if a flush of that region which is as new has been applied, and nothing was removed; otherwise 1
--   cuts: JSON list of { region, version }: what is known now
--   removed: JSON list of the keys that existed and were removed

local call = redis.call
local flush = cjson.decode(ARGV[1])

local entries = {}
for entry in string.gmatch(call("GET", KEYS[1]) or "", "[^;]+") do
  local region, version, flushed, rest = string.match(entry, "^(%S+) (%d+) (%d+) ?(.*)$")
  if region then entries[region] = { version = version, flushed = flushed, rest = rest } end
end
local function void(region, version)
  if region == flush.own then return end
  local entry = entries[region]
  if not entry then
    entries[region] = { version = version, flushed = "0", rest = "" }
  elseif tonumber(version) >= tonumber(entry.version) then
    entry.version, entry.rest = version, ""
  end
end

local is_new = true
if flush.cuts then
  for _, cut in ipairs(flush.cuts) do void(cut.region, cut.version) end
else
  for _, entry in pairs(entries) do entry.rest = "" end
end
if flush.region then
  void(flush.region, flush.version)
  local entry = entries[flush.region]
  is_new = tonumber(flush.version) > tonumber(entry.flushed)
  if is_new then entry.flushed = flush.version end
end
local removed = {}
for index = 2, #KEYS do
  if is_new and call("DEL", KEYS[index]) == 1 then removed[#removed + 1] = KEYS[index] end
end

local written, cuts = {}, {}
for region, entry in pairs(entries) do
  local rest = entry.rest == "" and "" or " " .. entry.rest
  written[#written + 1] = region .. " " .. entry.version .. " " .. entry.flushed .. rest
  cuts[#cuts + 1] = { region = region, version = entry.version }
end
if #written > 0 then
  table.sort(written)
  local life_ms = string.format("%.0f", math.max(flush.lifeMs, call("PTTL", KEYS[1])))
  call("SET", KEYS[1], table.concat(written, ";"), "PX", life_ms)
end
local function list(items) return #items > 0 and cjson.encode(items) or "[]" end
return { "isNew", is_new and 1 or 0, "cuts", list(cuts), "removed", list(removed) }
