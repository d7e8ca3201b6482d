-- Counts failures of accounts over all networks, one after the other.
--
-- A new wrong password prolongs the count. At the limit every wrong password counts as new, and none is remembered. An
-- error in one failure does not affect the others. The keys of one failure have one hash tag; on a cluster a call
-- therefore has one failure.
-- A call of a Redis command costs more than anything else here: the keys of a slowed account are prolonged only after
-- part of the time has passed, and its number of failures is written only as long as the delay grows. When they expire
-- is the score of the member `until` among the networks, whose other scores are earlier. While an account has as many
-- wrong passwords as are remembered, and its keys were prolonged recently, one more changes nothing.
--
-- KEYS, for each failure: failures, slowed, known networks, and with regions: failures elsewhere
-- ARGV[1] window_ms: lifetime of the failures after the last one
-- ARGV[2] max_digests: wrong passwords that are remembered
-- ARGV[3] slowed_from: failures from which the account is slowed
-- ARGV[4] known_seconds: time for which a network is known
-- ARGV[5] longest_from: failures from which the delay is the longest
-- ARGV[6] now_ms: the time of Redis, as the engine estimates it
-- ARGV, then for each failure: digest of the wrong password, network or an empty text, number of failures that the
--   engine read with the bans (0 if `is_new` must be exact)
-- Reply: for each failure a list of three numbers, or the text of an error. Fields are not named, because this runs for
--   every failed sign-in.
--   [1] failures: distinct wrong passwords; of each region, added
--   [2] is_new: 1 if the wrong password is new, otherwise 0
--   [3] is_known_network: 1 if the account is slowed and signed in from this network, otherwise 0

local window_ms = tonumber(ARGV[1])
local max_digests = tonumber(ARGV[2])
local slowed_from = tonumber(ARGV[3])
local known_seconds = tonumber(ARGV[4])
local longest_from = tonumber(ARGV[5])
local now_ms = tonumber(ARGV[6])

local call = redis.call
local function text(number) return string.format("%.0f", number) end
local spare_ms = window_ms / 24

local function is_prolonged(left_ms) return left_ms >= window_ms and left_ms <= window_ms + spare_ms end

-- Prolongs what is kept of a slowed account, if its end is near, and writes its number of failures.
local function prolong(failures_key, slowed_key, known_key, failures, until_ms, reaches_limit)
  local left_ms = until_ms - now_ms
  if failures > slowed_from and is_prolonged(left_ms) then
    local is_written = failures <= longest_from or reaches_limit
    if is_written then call("SET", slowed_key, failures, "PX", text(left_ms)) end
    return
  end
  local life_ms = text(window_ms + spare_ms)
  call("PEXPIRE", failures_key, life_ms)
  call("SET", slowed_key, failures, "PX", life_ms)
  call("ZADD", known_key, text(now_ms + window_ms + spare_ms), "until")
  -- Unless the account signed in, nothing else is kept there.
  if call("ZCARD", known_key) == 1 then call("PEXPIRE", known_key, life_ms) end
end

-- Failures in other regions, each of which says by its own clock when they end.
local function count_elsewhere(key)
  local total = 0
  for entry in string.gmatch(key and call("GET", key) or "", "[^;]+") do
    local ahead, failures, ends = string.match(entry, "^%S+ %d+ %d+ (-?%d+) (%d+) (%d+)$")
    if ends and tonumber(ends) > now_ms + tonumber(ahead) then total = total + tonumber(failures) end
  end
  return total
end

local function count(failures_key, slowed_key, known_key, elsewhere_key, digest, network, read)
  local scores
  local function knows_network()
    local at_seconds = network ~= "" and tonumber(scores[2])
    return at_seconds and at_seconds > now_ms / 1000 - known_seconds and 1 or 0
  end
  if read >= max_digests then
    scores = call("ZMSCORE", known_key, "until", network)
    if is_prolonged((tonumber(scores[1]) or 0) - now_ms) then return { max_digests, 1, knows_network() } end
  end
  local before = call("SCARD", failures_key)
  local is_new
  if before >= max_digests then
    is_new = 1 - call("SISMEMBER", failures_key, digest)
  else
    is_new = call("SADD", failures_key, digest)
  end
  local failures = is_new == 1 and math.min(max_digests, before + 1) or before
  if elsewhere_key then failures = math.min(max_digests, failures + count_elsewhere(elsewhere_key)) end
  if failures < slowed_from then
    if is_new == 1 then call("PEXPIRE", failures_key, text(window_ms)) end
    return { failures, is_new, 0 }
  end
  scores = scores or call("ZMSCORE", known_key, "until", network)
  if is_new == 1 then
    local until_ms = tonumber(scores[1]) or 0
    -- An engine of an earlier version does not write the largest number.
    local reaches_limit = failures >= max_digests and read < max_digests
    prolong(failures_key, slowed_key, known_key, failures, until_ms, reaches_limit)
  end
  return { failures, is_new, knows_network() }
end

local function message_of(err) return type(err) == "table" and err.err or tostring(err) end
local function delete_unless(kind, key)
  if call("TYPE", key).ok ~= kind then call("DEL", key) end
end
local answers = {}
local failed = (#ARGV - 6) / 3
local each = #KEYS / failed
for i = 1, failed do
  local first = each * (i - 1) + 1
  local failures_key, slowed_key, known_key = KEYS[first], KEYS[first + 1], KEYS[first + 2]
  local elsewhere_key = each > 3 and KEYS[first + 3] or nil
  local digest, network, read = ARGV[4 + 3 * i], ARGV[5 + 3 * i], tonumber(ARGV[6 + 3 * i])
  local done, answer = pcall(count, failures_key, slowed_key, known_key, elsewhere_key, digest, network, read)
  if not done and string.find(message_of(answer), "WRONGTYPE", 1, true) then
    -- Only these scripts write these keys. A key of another type is deleted, and its count begins again.
    delete_unless("set", failures_key)
    delete_unless("zset", known_key)
    if elsewhere_key then delete_unless("string", elsewhere_key) end
    done, answer = pcall(count, failures_key, slowed_key, known_key, elsewhere_key, digest, network, 0)
  end
  answers[i] = done and answer or message_of(answer)
end
return answers
