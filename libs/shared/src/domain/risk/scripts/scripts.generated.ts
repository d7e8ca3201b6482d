// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const replaceRiskFacts = {
  name: "replaceRiskFacts",
  keys: ["factsKey"] as const,
  args: ["expected", "replacement", "lifeSeconds"] as const,
  lua: `-- Replaces a value unless another engine has changed it since it was read.
--
-- KEYS[1] facts_key
-- ARGV[1] expected: the value that was read; empty if there was none
-- ARGV[2] replacement
-- ARGV[3] life_seconds
-- Reply: nil if the value was replaced, otherwise the present value; empty if there is none.

local facts_key = KEYS[1]
local expected = ARGV[1]
local replacement = ARGV[2]
local life_seconds = ARGV[3]

local present = redis.call("GET", facts_key) or ""
if present ~= expected then return present end
redis.call("SET", facts_key, replacement, "EX", life_seconds)
return false
`,
};
