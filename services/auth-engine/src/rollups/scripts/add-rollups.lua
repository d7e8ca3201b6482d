-- Adds one batch of counts to the periods of the sign-ins over time, unless this engine has already sent it.
--
-- KEYS[1] batch_key: number of the engine's last batch
-- ARGV, in this order: number of the batch, lifetime of that number (s), then for each period its key, in the same slot, its lifetime (s),
--   its number of counts, and for each count its field and number
-- Reply: 1, or 0 if the batch was there already.

local call = redis.call
local last = call("GET", KEYS[1])
if last and tonumber(last) >= tonumber(ARGV[1]) then return 0 end
call("SET", KEYS[1], ARGV[1], "EX", ARGV[2])
local i = 3
while i <= #ARGV do
  local key, life, fields = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  for field = i + 3, i + 1 + 2 * fields, 2 do call("HINCRBY", key, ARGV[field], ARGV[field + 1]) end
  call("EXPIRE", key, life)
  i = i + 3 + 2 * fields
end
return 1
