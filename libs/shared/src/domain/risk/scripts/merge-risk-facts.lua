-- Replaces what is stored about an account, unless it has changed since it was read.
--
-- KEYS[1] facts_key
-- KEYS[2] reviews_key
-- KEYS[3] flushed_key
-- ARGV[1] expected: JSON list of the three values that were read, each empty if there was none
-- ARGV[2] replacement: JSON list of the three values; an empty one is removed
-- ARGV[3] lives_seconds: JSON list of three lifetimes
-- Reply: 1 if the values were replaced, otherwise 0

local expected = cjson.decode(ARGV[1])
local replacement = cjson.decode(ARGV[2])
local lives_seconds = cjson.decode(ARGV[3])

local present = redis.call("MGET", KEYS[1], KEYS[2], KEYS[3])
for i = 1, 3 do
  if (present[i] or "") ~= expected[i] then return 0 end
end
for i, key in ipairs(KEYS) do
  if replacement[i] ~= expected[i] then
    if replacement[i] == "" then
      redis.call("DEL", key)
    else
      redis.call("SET", key, replacement[i], "EX", lives_seconds[i])
    end
  end
end
return 1
