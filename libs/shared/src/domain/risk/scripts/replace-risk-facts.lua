-- Replaces values, each unless another engine has changed it since it was read.
--
-- KEYS: those of the values. On a cluster a call has one, because they have different slots.
-- ARGV, for each: the value that was read, empty if there was none; the replacement; its lifetime (s)
-- Reply: for each nil if the value was replaced, otherwise the present value; empty if there is none.

local present = redis.call("MGET", unpack(KEYS))
local replaced, replies = {}, {}
for i, key in ipairs(KEYS) do
  local value = replaced[key] or present[i] or ""
  local expected, replacement, life_seconds = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  if value == expected then
    redis.call("SET", key, replacement, "EX", life_seconds)
    replaced[key] = replacement
    replies[i] = false
  else
    replies[i] = value
  end
end
return replies
