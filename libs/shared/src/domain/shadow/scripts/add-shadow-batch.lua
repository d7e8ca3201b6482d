-- Adds one batch of an engine to the report of the shadow, unless this engine has already sent it.
--
-- KEYS[1] totals_key, KEYS[2] index_key, KEYS[3] records_key, KEYS[4] batch_key
-- ARGV, in this order: number of the batch, lifetime of that number (s), lifetime of the report (s), time (ms), differences to keep, fields of the
--   totals to keep; then three lists, each after the number of its members: totals, each with its field and number; places without a
--   difference; differences, each with its place and record
-- Reply: 1, or 0 if the batch was there already.

local call = redis.call
local totals, index, records = KEYS[1], KEYS[2], KEYS[3]
local life, now, keep, max_fields = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local last = call("GET", KEYS[4])
if last and tonumber(last) >= tonumber(ARGV[1]) then return 0 end
call("SET", KEYS[4], ARGV[1], "EX", ARGV[2])

call("HSETNX", totals, "since", ARGV[4])
call("HSET", totals, "last", ARGV[4])
local i = 7
local function members()
  local number = tonumber(ARGV[i])
  i = i + 1
  return number
end
for _ = 1, members() do
  local field = ARGV[i]
  -- Only domains of known accounts are counted; there are more than these at very large sites only.
  if call("HLEN", totals) >= max_fields and not call("HGET", totals, field) then
    field = string.gsub(field, "^domain:.*:(%a+)$", "domain:*:%1")
  end
  call("HINCRBY", totals, field, ARGV[i + 1])
  i = i + 2
end

local function remove(place)
  if call("ZREM", index, place) == 1 then call("HDEL", records, place) end
end
for _ = 1, members() do
  remove(ARGV[i])
  i = i + 1
end
for _ = 1, members() do
  call("ZADD", index, now, ARGV[i])
  call("HSET", records, ARGV[i], ARGV[i + 1])
  i = i + 2
end
for _, place in ipairs(call("ZRANGE", index, "-inf", now - life * 1000, "BYSCORE")) do remove(place) end
local over = call("ZCARD", index) - keep
if over > 0 then
  for _, place in ipairs(call("ZRANGE", index, 0, over - 1)) do remove(place) end
end
for k = 1, 3 do call("EXPIRE", KEYS[k], life) end
return 1
