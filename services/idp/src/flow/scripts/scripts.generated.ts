// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const writeFlow = {
  name: "writeFlow",
  keys: ["flowKey"] as const,
  args: ["expectedVersion", "sealed", "lifeMs"] as const,
  lua: `-- Writes a flow if its version is still the one that was read, and increments the version.
--
-- KEYS[1] flow_key: hash
-- ARGV[1] expected_version: version that was read, 0 for a new flow
-- ARGV[2] sealed: the sealed flow
-- ARGV[3] life_ms: how long the flow lives from now on (ms)
-- Reply: 1 if the flow was written, 0 if it has another version now.

local flow_key = KEYS[1]
local expected_version = ARGV[1]
local sealed = ARGV[2]
local life_ms = ARGV[3]

local version = redis.call("HGET", flow_key, "n") or "0"
if version ~= expected_version then return 0 end
redis.call("HSET", flow_key, "v", sealed, "n", expected_version + 1)
redis.call("PEXPIRE", flow_key, life_ms)
return 1
`,
};
