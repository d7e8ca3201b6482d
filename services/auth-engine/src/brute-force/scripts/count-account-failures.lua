-- Counts failures of accounts over all networks, one after the other.
--
-- A new wrong password prolongs the count. At the limit every wrong password counts as new, and none is remembered. An
-- error in one failure does not affect the others. The keys of one failure have one hash tag; on a cluster a call
-- therefore has one failure.
--
-- KEYS, for each failure: failures, slowed, known networks
-- ARGV[1] window_ms: lifetime of the failures after the last one
-- ARGV[2] max_digests: wrong passwords that are remembered
-- ARGV[3] slowed_from: failures from which the account is slowed
-- ARGV[4] known_seconds: time for which a network is known
-- ARGV, then for each failure: digest of the wrong password, network or an empty text
-- Reply: for each failure a list of three numbers, or the text of an error. Fields are not named, because this runs for
--   every failed sign-in.
--   [1] failures: distinct wrong passwords
--   [2] is_new: 1 if the wrong password is new, otherwise 0
--   [3] is_known_network: 1 if the account is slowed and signed in from this network, otherwise 0

local window_ms = ARGV[1]
local max_digests = tonumber(ARGV[2])
local slowed_from = tonumber(ARGV[3])
local known_seconds = tonumber(ARGV[4])

local call = redis.call
local function count(failures_key, slowed_key, known_key, digest, network)
  local failures = call("SCARD", failures_key)
  local is_new
  if failures >= max_digests then
    is_new = 1 - call("SISMEMBER", failures_key, digest)
  else
    is_new = call("SADD", failures_key, digest)
  end
  if is_new == 1 then
    failures = math.min(max_digests, failures + 1)
    call("PEXPIRE", failures_key, window_ms)
    if failures >= slowed_from then call("SET", slowed_key, failures, "PX", window_ms) end
  end
  local is_known_network = 0
  if failures >= slowed_from and network ~= "" then
    local at_seconds = call("ZSCORE", known_key, network)
    if at_seconds and tonumber(at_seconds) > tonumber(call("TIME")[1]) - known_seconds then is_known_network = 1 end
  end
  return { failures, is_new, is_known_network }
end

local function message_of(err) return type(err) == "table" and err.err or tostring(err) end
local function delete_unless(kind, key)
  if call("TYPE", key).ok ~= kind then call("DEL", key) end
end
local answers = {}
for i = 1, #KEYS / 3 do
  local failures_key, slowed_key, known_key = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local digest, network = ARGV[3 + 2 * i], ARGV[4 + 2 * i]
  local done, answer = pcall(count, failures_key, slowed_key, known_key, digest, network)
  if not done and string.find(message_of(answer), "WRONGTYPE", 1, true) then
    -- Only these scripts write these keys. A key of another type is deleted, and its count begins again.
    delete_unless("set", failures_key)
    delete_unless("zset", known_key)
    done, answer = pcall(count, failures_key, slowed_key, known_key, digest, network)
  end
  answers[i] = done and answer or message_of(answer)
end
return answers
