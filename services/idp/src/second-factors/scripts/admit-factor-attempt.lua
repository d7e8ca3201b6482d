-- Counts an attempt at a second factor, and decides whether it is admitted.
--
-- Each window begins with its first attempt, and later attempts do not prolong it. A flow whose password was wrong may
-- hide this until the second factor; it then counts against the flow's own limit only, and gets the responses that a flow
-- with the correct password gets.
--
-- KEYS[1] attempts_key: attempts of the account in the window
-- KEYS[2] failures_key: consecutive wrong codes
-- KEYS[3] flow_key: attempts of this flow in the window; all keys have the hash tag of the account
-- ARGV[1] max_attempts: attempts that the window admits
-- ARGV[2] window_seconds: length of the window
-- ARGV[3] max_failures: consecutive wrong codes until the factor is locked, 0 for no limit
-- ARGV[4] failures_seconds: lifetime of the count of wrong codes
-- ARGV[5] is_proved: 1 if the password was correct
-- ARGV[6] is_hidden: 1 if the flow hides whether the password was right
-- Reply: name and value of each field.
--   admission: "admitted"; "throttled" or "locked"; "discarded" for either of the two in a flow that hides its password
--   failures: consecutive wrong codes, including this attempt if it counted; 0 if none are counted

local attempts_key = KEYS[1]
local failures_key = KEYS[2]
local flow_key = KEYS[3]
local max_attempts = tonumber(ARGV[1])
local window_seconds = ARGV[2]
local max_failures = tonumber(ARGV[3])
local failures_seconds = ARGV[4]
local is_proved = ARGV[5] == "1"
local is_hidden = ARGV[6] == "1"

local function count_attempt(key)
  local count = redis.call("INCR", key)
  if count == 1 then redis.call("EXPIRE", key, window_seconds) end
  return count
end
local function answer(admission, failures) return { "admission", admission, "failures", failures } end
local function refuse(admission, failures) return answer(is_hidden and "discarded" or admission, failures) end

if is_hidden and count_attempt(flow_key) > max_attempts then return answer("throttled", 0) end
if not is_proved then return answer("admitted", 0) end
local failures = tonumber(redis.call("GET", failures_key) or "0")
if max_failures > 0 and failures >= max_failures then return refuse("locked", failures) end
if count_attempt(attempts_key) > max_attempts then return refuse("throttled", failures) end
if max_failures == 0 then return answer("admitted", 0) end
failures = redis.call("INCR", failures_key)
redis.call("EXPIRE", failures_key, failures_seconds)
return answer("admitted", failures)
