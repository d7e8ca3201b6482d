-- Adds the networks from which an account signed in at another region, each with the later of both times.
--
-- KEYS[1] known_key: sorted set of networks by the last sign-in (s since the epoch); and `until`, whose score is a time in ms
-- ARGV[1] known_seconds: time for which a network is known
-- ARGV[2] max_networks
-- ARGV[3] networks: JSON list of pairs: network, seconds since the sign-in
-- Reply: 1.

local known_key = KEYS[1]
local known_seconds = tonumber(ARGV[1])
local max_networks = tonumber(ARGV[2])
local networks = cjson.decode(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
for _, known in ipairs(networks) do
  local network, age_seconds = known[1], known[2]
  if age_seconds < known_seconds then
    redis.call("ZADD", known_key, "GT", string.format("%.0f", now_seconds - age_seconds), network)
  end
end
redis.call("ZREMRANGEBYRANK", known_key, 0, -1 - max_networks)
redis.call("EXPIRE", known_key, known_seconds)
return 1
