-- Adds decisions to the counts of one hour.
--
-- KEYS[1] traffic_key: hash of counts by minute and outcome
-- KEYS[2] networks_key: sorted set of networks by failures
-- ARGV, in this order: lifetime (s), maximum of networks, number of counts, then for each count its field and number, then for
--   each network its name and failures
-- Reply: 1.

local traffic_key = KEYS[1]
local networks_key = KEYS[2]

local first_network = 4 + 2 * tonumber(ARGV[3])
for i = 4, first_network - 1, 2 do redis.call("HINCRBY", traffic_key, ARGV[i], ARGV[i + 1]) end
for i = first_network, #ARGV, 2 do redis.call("ZINCRBY", networks_key, ARGV[i + 1], ARGV[i]) end
-- Between two calls the set may grow; trimming a full set at each call would drop every new network immediately.
if redis.call("ZCARD", networks_key) > 2 * tonumber(ARGV[2]) then
  redis.call("ZREMRANGEBYRANK", networks_key, 0, -1 - tonumber(ARGV[2]))
end
redis.call("EXPIRE", traffic_key, ARGV[1])
redis.call("EXPIRE", networks_key, ARGV[1])
return 1
