-- Notes in which history the decisions of references are, and removes the oldest references.
--
-- KEYS[1] references_key: sorted set by time (s since the epoch)
-- ARGV, in this order: now (s), lifetime (s), maximum of references, then for each decision its time (s) and its place
-- Reply: 1.

local references_key = KEYS[1]

for i = 4, #ARGV, 2 do redis.call("ZADD", references_key, ARGV[i], ARGV[i + 1]) end
redis.call("ZREMRANGEBYRANK", references_key, 0, -1 - tonumber(ARGV[3]))
redis.call("ZREMRANGEBYSCORE", references_key, "-inf", tonumber(ARGV[1]) - tonumber(ARGV[2]))
redis.call("EXPIRE", references_key, ARGV[2])
return 1
