-- Adds a member to each of two sets of recent members, and removes those that are too old or too many when the member is new.
--
-- KEYS, for each set: sorted set by time (s since the epoch). On a cluster a call has one, because they have different slots.
-- ARGV[1] now_seconds: the time of Redis, as the engine estimates it
-- ARGV, then for each set: member, largest number of members, age in seconds at which a member is removed
-- Reply: 1.

local call = redis.call
local now_seconds = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local member, max_members, life_seconds = ARGV[3 * i - 1], tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  if call("ZADD", key, now_seconds, member) == 1 then
    call("ZREMRANGEBYSCORE", key, "-inf", now_seconds - life_seconds)
    local excess = call("ZCARD", key) - max_members
    if excess > 0 then call("ZREMRANGEBYRANK", key, 0, excess - 1) end
  end
  call("EXPIRE", key, life_seconds)
end
return 1
