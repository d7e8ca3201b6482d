// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const noteDevice = {
  name: "noteDevice",
  keys: ["devicesKey"] as const,
  args: ["device", "nowSeconds", "maxDevices", "lifeSeconds"] as const,
  lua: `-- Adds a device to the known devices of an account, and removes the oldest if there are too many.
--
-- KEYS[1] devices_key: sorted set by last use (s since the epoch)
-- ARGV[1] device
-- ARGV[2] now_seconds: s since the epoch
-- ARGV[3] max_devices
-- ARGV[4] life_seconds: lifetime of the set after its last use
-- Reply: 1 if the device is new, otherwise 0.

local devices_key = KEYS[1]
local device = ARGV[1]
local now_seconds = ARGV[2]
local max_devices = tonumber(ARGV[3])
local life_seconds = ARGV[4]

local added = redis.call("ZADD", devices_key, now_seconds, device)
redis.call("ZREMRANGEBYRANK", devices_key, 0, -1 - max_devices)
redis.call("EXPIRE", devices_key, life_seconds)
return added
`,
};
