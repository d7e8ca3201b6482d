// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const countRepetition = {
  name: "countRepetition",
  keys: ["repetitionsKey"] as const,
  args: ["windowMs"] as const,
  lua: `-- Counts a repeated failure of an account from a network, in a window that begins with the first one.
--
-- KEYS[1] repetitions_key
-- ARGV[1] window_ms
-- Reply: number of repetitions in the window.

local repetitions_key = KEYS[1]
local window_ms = ARGV[1]

local repetitions = redis.call("INCR", repetitions_key)
if repetitions == 1 then redis.call("PEXPIRE", repetitions_key, window_ms) end
return repetitions
`,
};

export const noteSignedInHash = {
  name: "noteSignedInHash",
  keys: ["hashesKey"] as const,
  args: ["digest", "maxHashes", "lifeSeconds"] as const,
  lua: `-- Notes a password hash with which an account signed in, and removes those that are too old or too many.
--
-- KEYS[1] hashes_key: sorted set of digests by the last sign-in (s since the epoch)
-- ARGV[1] digest
-- ARGV[2] max_hashes
-- ARGV[3] life_seconds: age at which a hash is removed
-- Reply: 1.

local hashes_key = KEYS[1]
local digest = ARGV[1]
local max_hashes = tonumber(ARGV[2])
local life_seconds = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZADD", hashes_key, now_seconds, digest)
redis.call("ZREMRANGEBYSCORE", hashes_key, "-inf", now_seconds - life_seconds)
redis.call("ZREMRANGEBYRANK", hashes_key, 0, -1 - max_hashes)
redis.call("EXPIRE", hashes_key, life_seconds)
return 1
`,
};
