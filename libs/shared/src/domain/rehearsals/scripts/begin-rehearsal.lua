-- Begins the rehearsal of the site, unless another one runs. The result of the one before is deleted.
--
-- KEYS[1] rehearsal_key
-- ARGV[1] id
-- ARGV[2] run: the state of the rehearsal, encrypted
-- ARGV[3] life_seconds: of the result
-- ARGV[4] silence_ms: an engine that has written nothing for so long has ended
-- Reply: 1, or 0 if another one runs.

local call = redis.call
local time = call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local over, written_ms = unpack(call("HMGET", KEYS[1], "over", "written_ms"))
if over == "0" and written_ms and now_ms - tonumber(written_ms) < tonumber(ARGV[4]) then return 0 end
call("DEL", KEYS[1])
call("HSET", KEYS[1], "id", ARGV[1], "run", ARGV[2], "over", "0", "written_ms", string.format("%.0f", now_ms))
call("EXPIRE", KEYS[1], ARGV[3])
return 1
