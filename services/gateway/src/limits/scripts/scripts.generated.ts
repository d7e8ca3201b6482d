// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const takeFailureToken = {
  name: "takeFailureToken",
  keys: ["bucketKey"] as const,
  args: ["intervalUs", "depthUs", "maxLifeMs"] as const,
  lua: `-- Takes one token from the failure budget of an address.
--
-- The script uses the time of Redis, so gateways with different clocks share one bucket. A clock that was set back may
-- leave a time that no bucket can have; the bucket then counts as empty.
--
-- KEYS[1] bucket_key: the time at which the bucket is full again (us since the epoch)
-- ARGV[1] interval_us: time in which one token returns
-- ARGV[2] depth_us: interval times the size of the bucket
-- ARGV[3] max_life_ms: longest lifetime of the key
-- Reply: name and value of each field.
--   granted: 1 if a token was taken, otherwise 0
--   debtUs: time until the bucket is full (us)

local bucket_key = KEYS[1]
local interval_us = tonumber(ARGV[1])
local depth_us = tonumber(ARGV[2])
local max_life_ms = tonumber(ARGV[3])

local time = redis.call("TIME")
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local full_at_us = tonumber(redis.call("GET", bucket_key) or "0")
local debt_us = math.min(depth_us, math.max(0, full_at_us - now_us))
if debt_us + interval_us > depth_us then return { "granted", 0, "debtUs", debt_us } end
debt_us = debt_us + interval_us
local life_ms = math.min(max_life_ms, math.ceil(debt_us / 1000))
redis.call("SET", bucket_key, string.format("%.0f", now_us + debt_us), "PX", life_ms)
return { "granted", 1, "debtUs", debt_us }
`,
};
