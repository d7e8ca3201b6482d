-- Cancels the rehearsal that runs. Its engine notices when it next writes.
--
-- KEYS[1] rehearsal_key
-- Reply: 1, or 0 if none runs.

if redis.call("HGET", KEYS[1], "over") ~= "0" then return 0 end
redis.call("HSET", KEYS[1], "cancelled", "1")
return 1
