-- Adds one to a count. The window begins with the first increment and later increments do not prolong it.
--
-- KEYS[1] count_key
-- ARGV[1] window_seconds: length of the window
-- Reply: the count, including this increment.

local count_key = KEYS[1]
local window_seconds = ARGV[1]

local count = redis.call("INCR", count_key)
if count == 1 then redis.call("EXPIRE", count_key, window_seconds) end
return count
