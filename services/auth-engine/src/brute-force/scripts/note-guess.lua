-- Adds members to sets of recent members, and removes those that are too many or too old from time to time.
--
-- A call of a Redis command costs more than anything else here: a set is trimmed after one of eight new members, so it may have a few more
-- than its maximum.
--
-- KEYS: sorted sets by time (s since the epoch). On a cluster a call has one, because they have different slots.
-- ARGV[1] now_seconds: the time of Redis, as the engine estimates it
-- ARGV, then for each set: member, largest number of members, age in seconds at which a member is removed, 1 to trim it or 0
-- Reply: 1.

local call = redis.call
local now_seconds = tonumber(ARGV[1])
local prolonged = {}
for i, key in ipairs(KEYS) do
  local member, max_members, life_seconds = ARGV[4 * i - 2], tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  if call("ZADD", key, now_seconds, member) == 1 and ARGV[4 * i + 1] == "1" then
    call("ZREMRANGEBYSCORE", key, "-inf", now_seconds - life_seconds)
    local excess = call("ZCARD", key) - max_members
    if excess > 0 then call("ZREMRANGEBYRANK", key, 0, excess - 1) end
  end
  if not prolonged[key] then
    call("EXPIRE", key, life_seconds)
    prolonged[key] = true
  end
end
return 1
