-- Undoes the count of an attempt at a second factor that could not be verified.
--
-- KEYS[1] attempts_key: attempts of the account in the window
-- KEYS[2] failures_key: consecutive wrong codes
-- KEYS[3] flow_key: attempts of this flow in the window; all keys have the hash tag of the account
-- ARGV[1] is_account_counted: 1 if the attempt counted for the account
-- ARGV[2] is_flow_counted: 1 if the attempt counted for the flow
-- Reply: 1.

local attempts_key = KEYS[1]
local failures_key = KEYS[2]
local flow_key = KEYS[3]
local is_account_counted = ARGV[1] == "1"
local is_flow_counted = ARGV[2] == "1"

local function undo(key)
  if tonumber(redis.call("GET", key) or "0") > 0 then redis.call("DECR", key) end
end

if is_account_counted then
  undo(attempts_key)
  undo(failures_key)
end
if is_flow_counted then undo(flow_key) end
return 1
