-- Notes that accounts signed in from networks. A key and its lifetime are written in one step: without a lifetime, a key would stay forever.
--
-- KEYS: known networks: sorted sets by the last sign-in (s since the epoch). On a cluster a call has one, because they have different slots.
-- ARGV[1] now_seconds: the time of Redis, as the engine estimates it
-- ARGV[2] known_seconds: time for which a network is known
-- ARGV[3] max_networks
-- ARGV, then for each key: network, 1 to remove the oldest networks if they are too many, otherwise 0
-- Reply: for each key 1, or the text of an error.

local now_seconds = tonumber(ARGV[1])
local known_seconds = tonumber(ARGV[2])
local max_networks = tonumber(ARGV[3])

local function note(known_key, network, is_trimmed)
  if redis.call("ZADD", known_key, now_seconds, network) == 1 and is_trimmed then
    redis.call("ZREMRANGEBYRANK", known_key, 0, -1 - max_networks)
  end
  redis.call("EXPIRE", known_key, known_seconds)
end

local answers = {}
for i, known_key in ipairs(KEYS) do
  local done, err = pcall(note, known_key, ARGV[2 + 2 * i], ARGV[3 + 2 * i] == "1")
  answers[i] = done and 1 or type(err) == "table" and err.err or tostring(err)
end
return answers
