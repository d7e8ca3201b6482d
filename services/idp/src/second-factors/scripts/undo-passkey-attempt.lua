-- Undoes the count of a passkey attempt. A count that has expired is not created again.
--
-- KEYS[1] count_key
-- Reply: the count after the subtraction, or 0 if it has expired.

local count_key = KEYS[1]

if redis.call("EXISTS", count_key) == 1 then return redis.call("DECR", count_key) end
return 0
