// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const releaseLease = {
  name: "releaseLease",
  keys: ["leaseKey"] as const,
  args: ["holder"] as const,
  lua: `-- Releases a lease, unless another process holds it by now.
--
-- KEYS[1] lease_key
-- ARGV[1] holder: the holder that releases it
-- Reply: 1 if the lease was released, otherwise 0.

local lease_key = KEYS[1]
local holder = ARGV[1]

if redis.call("GET", lease_key) == holder then return redis.call("DEL", lease_key) end
return 0
`,
};
