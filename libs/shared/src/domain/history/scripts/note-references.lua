-- Notes in which history the decisions of references are, and removes the oldest references.
--
-- KEYS[1] references_key: sorted set by time (s since the epoch)
-- ARGV, in this order: now (s), lifetime (s), maximum of references, then for each decision its time (s) and its place
-- Reply: 1.

local references_key = KEYS[1]

-- A call of a command costs more than its work; Lua passes some thousand arguments at most.
local arguments_at_a_time = 1000
for i = 4, #ARGV, arguments_at_a_time do
  redis.call("ZADD", references_key, unpack(ARGV, i, math.min(i + arguments_at_a_time - 1, #ARGV)))
end
redis.call("ZREMRANGEBYRANK", references_key, 0, -1 - tonumber(ARGV[3]))
redis.call("ZREMRANGEBYSCORE", references_key, "-inf", tonumber(ARGV[1]) - tonumber(ARGV[2]))
redis.call("EXPIRE", references_key, ARGV[2])
return 1
