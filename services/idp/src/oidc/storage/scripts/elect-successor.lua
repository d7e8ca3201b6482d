-- Chooses one successor of a record. Of several proposals the first wins.
--
-- KEYS[1] record_key: hash
-- ARGV[1] sealed_successor: the proposal
-- Reply: the sealed successor that won.

local record_key = KEYS[1]
local sealed_successor = ARGV[1]

redis.call("HSETNX", record_key, "s", sealed_successor)
return redis.call("HGET", record_key, "s")
