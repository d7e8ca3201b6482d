// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const changeAccountEpoch = {
  name: "changeAccountEpoch",
  keys: ["epochKey", "resultsKey", "namesKey"] as const,
  args: ["epoch", "lifeSeconds"] as const,
  lua: `-- Changes the epoch of an account, which makes its cached results invalid, and lists the keys to delete.
--
-- The caller deletes the keys: some of them are in other slots of a cluster.
--
-- KEYS[1] epoch_key
-- KEYS[2] results_key: sorted set of the keys of cached results
-- KEYS[3] names_key: sorted set of the keys of login names
-- ARGV[1] epoch: the new epoch
-- ARGV[2] life_seconds: lifetime of the epoch
-- Reply: name and value of each field.
--   resultKeys, nameKeys: lists of keys

local epoch_key = KEYS[1]
local results_key = KEYS[2]
local names_key = KEYS[3]
local epoch = ARGV[1]
local life_seconds = ARGV[2]

redis.call("SET", epoch_key, epoch, "EX", life_seconds)
return {
  "resultKeys", redis.call("ZRANGE", results_key, 0, -1),
  "nameKeys", redis.call("ZRANGE", names_key, 0, -1),
}
`,
};
