-- Writes how far a rehearsal has come, or its result.
--
-- KEYS[1] rehearsal_key
-- ARGV[1] id
-- ARGV[2] run: the state of the rehearsal, encrypted
-- ARGV[3] life_seconds: of the result
-- ARGV[4] is_over: 1 if this is the result
-- Reply: `on`; `cancelled` if an operator wants no more of it; `gone` if it is no longer the rehearsal of the site.

local call = redis.call
local id, cancelled = unpack(call("HMGET", KEYS[1], "id", "cancelled"))
if id ~= ARGV[1] then return "gone" end
local time = call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
call("HSET", KEYS[1], "run", ARGV[2], "over", ARGV[4], "written_ms", string.format("%.0f", now_ms))
call("EXPIRE", KEYS[1], ARGV[3])
return cancelled and "cancelled" or "on"
