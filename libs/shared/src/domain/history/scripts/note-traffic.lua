-- Adds decisions to the counts of one hour.
--
-- KEYS[1] traffic_key: hash of counts by minute and outcome
-- KEYS, then one sorted set of networks by failures for each kind of failure
-- ARGV, in this order: lifetime (s), maximum of networks, number of counts, then for each count its field and number, then for each
--   network the position of its kind from 1, its name and its failures
-- Reply: 1.

local life, max_networks = ARGV[1], tonumber(ARGV[2])
local first_network = 4 + 2 * tonumber(ARGV[3])
for i = 4, first_network - 1, 2 do redis.call("HINCRBY", KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call("EXPIRE", KEYS[1], life)
local used = {}
for i = first_network, #ARGV, 3 do
  local key = KEYS[1 + tonumber(ARGV[i])]
  redis.call("ZINCRBY", key, ARGV[i + 2], ARGV[i + 1])
  used[key] = true
end
for key in pairs(used) do
  -- Between two calls the set may grow; trimming a full set at each call would drop every new network immediately.
  if redis.call("ZCARD", key) > 2 * max_networks then redis.call("ZREMRANGEBYRANK", key, 0, -1 - max_networks) end
  redis.call("EXPIRE", key, life)
end
return 1
