-- Notes the result of one service provider in a logout transaction. A transaction that has expired is not created again,
-- and "done" is never replaced.
--
-- KEYS[1] transaction_key: hash
-- ARGV[1] field: field of the service provider
-- ARGV[2] result: "done" or "refused"
-- Reply: 1 if the field is new, otherwise 0.

local transaction_key = KEYS[1]
local field = ARGV[1]
local result = ARGV[2]

if redis.call("EXISTS", transaction_key) == 0 then return 0 end
if result == "done" then return redis.call("HSET", transaction_key, field, result) end
return redis.call("HSETNX", transaction_key, field, result)
