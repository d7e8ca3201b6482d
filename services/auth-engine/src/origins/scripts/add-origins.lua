-- Adds one batch of sign-ins to those from each country and autonomous system, unless this engine has already sent it.
--
-- KEYS[1] batch_key: number of the engine's last batch
-- ARGV, in this order: number of the batch, lifetime of that number (s), then for each hash its key, in the same slot, its lifetime (s),
--   the entries that it keeps, its number of entries, and for each entry its field, successes, refusals and name (may be empty)
-- Reply: 1, or 0 if the batch was there already.

local call = redis.call
local last = call("GET", KEYS[1])
if last and tonumber(last) >= tonumber(ARGV[1]) then return 0 end
call("SET", KEYS[1], ARGV[1], "EX", ARGV[2])

local function read(text)
  local ok, refused, name = string.match(text or "", "^(%d+) (%d+) ?(.*)$")
  return tonumber(ok) or 0, tonumber(refused) or 0, name or ""
end

local function written(ok, refused, name)
  local counts = string.format("%.0f %.0f", ok, refused)
  return name == "" and counts or counts .. " " .. name
end

-- Adds up as "*" what is neither among those with the most refusals nor among those with the most successes. "-" is unknown.
local function keep_largest(key, at_most)
  if call("HLEN", key) <= at_most then return end
  local entries, rest = {}, { ok = 0, refused = 0 }
  local all = call("HGETALL", key)
  for i = 1, #all, 2 do
    local ok, refused = read(all[i + 1])
    if all[i] == "*" then rest.ok, rest.refused = rest.ok + ok, rest.refused + refused
    elseif all[i] ~= "-" then entries[#entries + 1] = { field = all[i], ok = ok, refused = refused } end
  end
  local kept = {}
  local half = math.floor((at_most - 2) / 2)
  for _, count in ipairs({ "refused", "ok" }) do
    table.sort(entries, function(one, other) return one[count] > other[count] end)
    for i = 1, math.min(half, #entries) do kept[entries[i].field] = true end
  end
  for _, entry in ipairs(entries) do
    if not kept[entry.field] then
      call("HDEL", key, entry.field)
      rest.ok, rest.refused = rest.ok + entry.ok, rest.refused + entry.refused
    end
  end
  call("HSET", key, "*", written(rest.ok, rest.refused, ""))
end

local i = 3
while i <= #ARGV do
  local key, life, at_most, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local first, after = i + 4, i + 4 + 4 * count
  if count > 0 then
    local fields, changed = {}, {}
    for entry = first, after - 1, 4 do fields[#fields + 1] = ARGV[entry] end
    local known = call("HMGET", key, unpack(fields))
    for index, field in ipairs(fields) do
      local entry = first + 4 * (index - 1)
      local ok, refused, name = read(known[index])
      if ARGV[entry + 3] ~= "" then name = ARGV[entry + 3] end
      changed[#changed + 1] = field
      changed[#changed + 1] = written(ok + tonumber(ARGV[entry + 1]), refused + tonumber(ARGV[entry + 2]), name)
    end
    call("HSET", key, unpack(changed))
    keep_largest(key, at_most)
    call("EXPIRE", key, life)
  end
  i = after
end
return 1
