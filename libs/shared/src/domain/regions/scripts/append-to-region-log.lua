-- Appends entries to the log of this region, which the other regions read.
--
-- The identifiers are those of Redis, which grow with its clock: after a loss of entries, a position in the log is that of no other entry.
--
-- KEYS[1] log_key: a stream; each entry has its number and its sealed event
-- ARGV[1] max_entries
-- ARGV[2] events: JSON list of sealed events
-- Reply: identifier of the last entry

local log_key = KEYS[1]
local max_entries = ARGV[1]
local events = cjson.decode(ARGV[2])

local last = redis.call("XREVRANGE", log_key, "+", "-", "COUNT", 1)[1]
local number = last and tonumber(last[2][2]) or 0
local id
for _, event in ipairs(events) do
  number = number + 1
  id = redis.call("XADD", log_key, "MAXLEN", "~", max_entries, "*", "n", string.format("%d", number), "e", event)
end
return id
