-- Reads periods of the sign-ins over time.
--
-- KEYS[1] first_key: the first period
-- ARGV, in this order: number of the fields, the fields, then the periods, all in the slot of the first one
-- Reply: for each period the values of the fields, joined by commas; a field that is absent is empty

local count = tonumber(ARGV[1])
local fields = {}
for i = 1, count do fields[i] = ARGV[1 + i] end
local periods = {}
for i = 2 + count, #ARGV do
  local values = redis.call("HMGET", ARGV[i], unpack(fields))
  for at = 1, count do values[at] = values[at] or "" end
  periods[#periods + 1] = table.concat(values, ",")
end
return periods
