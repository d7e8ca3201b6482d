-- Counts an event of a logout transaction. A transaction that has expired is not created again.
--
-- KEYS[1] transaction_key: hash
-- ARGV[1] field: field of the count
-- Reply: the count, including this event; 0 if the transaction has expired.

local transaction_key = KEYS[1]
local field = ARGV[1]

if redis.call("EXISTS", transaction_key) == 0 then return 0 end
return redis.call("HINCRBY", transaction_key, field, 1)
