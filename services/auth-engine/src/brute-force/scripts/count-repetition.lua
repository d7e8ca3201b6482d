-- Counts a repeated failure of an account from a network, in a window that begins with the first one.
--
-- KEYS[1] repetitions_key
-- ARGV[1] window_ms
-- Reply: number of repetitions in the window.

local repetitions_key = KEYS[1]
local window_ms = ARGV[1]

local repetitions = redis.call("INCR", repetitions_key)
if repetitions == 1 then redis.call("PEXPIRE", repetitions_key, window_ms) end
return repetitions
