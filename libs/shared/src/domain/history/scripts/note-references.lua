-- Notes in which histories the decisions of references are, and removes the oldest references if there are too many.
--
-- KEYS[1] references_key: sorted set by time (s since the epoch)
-- ARGV, in this order: now (s), lifetime (s), maximum of references, then for each decision its time (s) and its place
-- Reply: 1.

local references_key = KEYS[1]
local max_references = tonumber(ARGV[3])

-- A call of a command costs more than its work; Lua passes some thousand arguments at most.
local arguments_at_a_time = 1000
for i = 4, #ARGV, arguments_at_a_time do
  redis.call("ZADD", references_key, unpack(ARGV, i, math.min(i + arguments_at_a_time - 1, #ARGV)))
end
-- What is too old is removed with what is too much, or with the key.
local excess = redis.call("ZCARD", references_key) - max_references
if excess > 0 then
  redis.call("ZREMRANGEBYRANK", references_key, 0, excess + math.floor(max_references / 64) - 1)
  redis.call("ZREMRANGEBYSCORE", references_key, "-inf", tonumber(ARGV[1]) - tonumber(ARGV[2]))
end
redis.call("EXPIRE", references_key, ARGV[2])
return 1
