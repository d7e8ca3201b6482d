// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const countInWindow = {
  name: "countInWindow",
  keys: ["countKey"] as const,
  args: ["windowSeconds"] as const,
  lua: `-- Adds one to a count. The window begins with the first increment and later increments do not prolong it.
--
-- KEYS[1] count_key
-- ARGV[1] window_seconds: length of the window
-- Reply: the count, including this increment.

local count_key = KEYS[1]
local window_seconds = ARGV[1]

local count = redis.call("INCR", count_key)
if count == 1 then redis.call("EXPIRE", count_key, window_seconds) end
return count
`,
};

export const replaceIfSame = {
  name: "replaceIfSame",
  keys: ["valueKey"] as const,
  args: ["expected", "replacement", "lifeSeconds"] as const,
  lua: `-- Replaces a value if it is still the one that was read. Of several writers that read the same value, the first wins.
--
-- KEYS[1] value_key
-- ARGV[1] expected: the value that was read; empty if the key did not exist
-- ARGV[2] replacement: the new value
-- ARGV[3] life_seconds: lifetime of the new value
-- Reply: 1 if the value was replaced, 0 if another value is stored now.

local value_key = KEYS[1]
local expected = ARGV[1]
local replacement = ARGV[2]
local life_seconds = ARGV[3]

if (redis.call("GET", value_key) or "") ~= expected then return 0 end
redis.call("SET", value_key, replacement, "EX", life_seconds)
return 1
`,
};
