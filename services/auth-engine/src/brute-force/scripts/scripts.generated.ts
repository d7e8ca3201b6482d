// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const countAccountFailures = {
  name: "countAccountFailures",
  lua: `-- Counts failures of accounts over all networks, one after the other.
--
-- A new wrong password prolongs the count. At the limit every wrong password counts as new, and none is remembered. An
-- error in one failure does not affect the others. The keys of one failure have one hash tag; on a cluster a call
-- therefore has one failure.
-- A call of a Redis command costs more than anything else here: the keys of a slowed account are prolonged only after
-- part of the time has passed, and its number of failures is written only as long as the delay grows. When they expire
-- is the score of the member \`until\` among the networks, whose other scores are earlier.
--
-- KEYS, for each failure: failures, slowed, known networks
-- ARGV[1] window_ms: lifetime of the failures after the last one
-- ARGV[2] max_digests: wrong passwords that are remembered
-- ARGV[3] slowed_from: failures from which the account is slowed
-- ARGV[4] known_seconds: time for which a network is known
-- ARGV[5] longest_from: failures from which the delay is the longest
-- ARGV[6] now_ms: the time of Redis, as the engine estimates it
-- ARGV, then for each failure: digest of the wrong password, network or an empty text
-- Reply: for each failure a list of three numbers, or the text of an error. Fields are not named, because this runs for
--   every failed sign-in.
--   [1] failures: distinct wrong passwords
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

-- Prolongs what is kept of a slowed account, if its end is near, and writes its number of failures.
local function prolong(failures_key, slowed_key, known_key, failures, until_ms)
  local left_ms = until_ms - now_ms
  if failures > slowed_from and left_ms >= window_ms and left_ms <= window_ms + spare_ms then
    if failures <= longest_from then call("SET", slowed_key, failures, "PX", text(left_ms)) end
    return
  end
  local life_ms = text(window_ms + spare_ms)
  call("PEXPIRE", failures_key, life_ms)
  call("SET", slowed_key, failures, "PX", life_ms)
  call("ZADD", known_key, text(now_ms + window_ms + spare_ms), "until")
  -- Unless the account signed in, nothing else is kept there.
  if call("ZCARD", known_key) == 1 then call("PEXPIRE", known_key, life_ms) end
end

local function count(failures_key, slowed_key, known_key, digest, network)
  local failures = call("SCARD", failures_key)
  local is_new
  if failures >= max_digests then
    is_new = 1 - call("SISMEMBER", failures_key, digest)
  else
    is_new = call("SADD", failures_key, digest)
  end
  if is_new == 1 then failures = math.min(max_digests, failures + 1) end
  if failures < slowed_from then
    if is_new == 1 then call("PEXPIRE", failures_key, text(window_ms)) end
    return { failures, is_new, 0 }
  end
  local scores = call("ZMSCORE", known_key, "until", network)
  if is_new == 1 then prolong(failures_key, slowed_key, known_key, failures, tonumber(scores[1]) or 0) end
  local at_seconds = network ~= "" and tonumber(scores[2])
  return { failures, is_new, at_seconds and at_seconds > now_ms / 1000 - known_seconds and 1 or 0 }
end

local function message_of(err) return type(err) == "table" and err.err or tostring(err) end
local function delete_unless(kind, key)
  if call("TYPE", key).ok ~= kind then call("DEL", key) end
end
local answers = {}
for i = 1, #KEYS / 3 do
  local failures_key, slowed_key, known_key = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local digest, network = ARGV[5 + 2 * i], ARGV[6 + 2 * i]
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
`,
};

export const countFailures = {
  name: "countFailures",
  lua: `-- Counts failed requests one after the other, and bans the networks that reach the limit of a rule.
--
-- An error in one failure does not affect the others. The keys of one failure have one hash tag; on a cluster a call
-- therefore has one failure. The script uses the time of Redis, so engines with different clocks share one window.
-- A call of a Redis command costs more than anything else here: all strings are read by one MGET, a count that stays
-- in its window changes one field, and lifetimes are prolonged only after part of them has passed.
--
-- KEYS, for each failure: pending, and for each of its rules: ban;
--   then again for each failure: wrong passwords, guesses, counted request, and for each of its rules: count, accounts that signed in
--   during this window, accounts that signed in during the previous one
-- ARGV[1] settings: JSON object, the same for every call of a process
--   repeatWindowMs: time in which the same wrong password counts once
--   maxDigests: wrong passwords that are remembered for an account
--   guessesLifeMs: lifetime of the guesses of a network
--   unknownWeight: number of tolerated failures that one failure of an unknown account uses up
--   rules: list of { name, periodMs, failedRequests, banMs }
-- ARGV[2] batch: JSON object
--   stringKeys: number of pending keys and bans
--   tolerations: list of { minPercent, maxPercent, scale }
--   digests, known (1 or 0), requestLives (time for which another engine may count the same request, 0 for none),
--     tolerationOf, ruleCounts: lists with one element for each failure, because a list of
--     objects costs about 1 us more for each; tolerationOf has positions in tolerations, from 1
--   rules, networks: lists with one element for each rule of each failure; rules has positions in the rules of the
--     settings, from 1
-- Reply: a list of texts, because a reply of many elements costs more.
--   The first has three numbers for each failure, separated by spaces: status, wrong passwords of the account, guesses
--   of the network. The status is -1 if the failure could not be counted, otherwise the sum of 1 (repeated), 2 (banned)
--   and 4 (by a new ban).
--   The others are, for each failure that is banned or could not be counted: the first ban or the error.

local settings = cjson.decode(ARGV[1])
local batch = cjson.decode(ARGV[2])
local own_rules, networks = batch.rules, batch.networks

local call = redis.call
local time = call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local texts = {}
local function text(number)
  local known = texts[number]
  if not known then
    known = string.format("%.0f", number)
    texts[number] = known
  end
  return known
end
local fresh = text(now) .. ":" .. text(now)
local guesses_life = text(settings.guessesLifeMs)
local max_digests, repeat_window, unknown_weight = settings.maxDigests, settings.repeatWindowMs, settings.unknownWeight
-- The wrong passwords and guesses are prolonged after this time at the latest.
local late = settings.guessesLifeMs / 24
local rules = settings.rules
for _, rule in ipairs(rules) do
  local window = math.floor(now / rule.periodMs)
  rule.limit = rule.failedRequests - 1e-9
  rule.window, rule.window_text = window, text(window)
  rule.previous_share = 1 - (now % rule.periodMs) / rule.periodMs
end
local function number(written) return written ~= "0" and tonumber(written) or 0 end
local values = {}
for i, value in ipairs(call("MGET", unpack(KEYS, 1, batch.stringKeys))) do values[KEYS[i]] = value end
local function set(key, value, life_ms)
  call("SET", key, value, "PX", text(life_ms))
  values[key] = value
end

-- Remembers a wrong password of an account for \`memory\` ms. Returns whether it is a repetition, how many wrong
-- passwords the account has, whether its keys were prolonged a short time ago, and whether the wrong password is kept. The value of the pending key is the
-- time at which the wrong passwords expire, which saves a call to read it.
local function remember(key, pending, digest, memory)
  local seen = call("HLEN", key)
  local old, kept = false, false
  if seen < max_digests and call("HSETNX", key, digest, fresh) == 1 then
    seen, kept = seen + 1, true
  else
    old = call("HGET", key, digest)
  end
  if old then
    kept = true
    local counted_at, last_at = string.match(old, "^(%d+):(%d+)$")
    local repeated = last_at and now - tonumber(last_at) < memory
    call("HSET", key, digest, (repeated and counted_at or text(now)) .. ":" .. text(now))
    if repeated then
      call("PEXPIRE", key, text(2 * memory))
      return true, seen, false, true
    end
  end
  local left, spare = number(values[pending]) - now, math.min(memory, late)
  if seen > 1 and left <= 2 * memory and left > 2 * memory - spare then return false, seen, true, kept end
  call("PEXPIRE", key, text(2 * memory))
  set(pending, text(now + 2 * memory), memory + spare)
  return false, seen, false, kept
end

-- Adds a failure to the count of a rule. Returns the failures of known and of unknown accounts. Failures of the
-- previous window count in proportion to its part that is less than a period ago.
local function add(key, rule, field)
  local c = call("HMGET", key, "w", "k", "u", "pk", "pu")
  local w = c[1] == rule.window_text and rule.window or tonumber(c[1])
  local k, u, pk, pu = number(c[2]), number(c[3]), number(c[4]), number(c[5])
  local begins = not w or rule.window > w
  if begins then
    local follows = rule.window - 1 == w
    k, u, pk, pu = 0, 0, follows and k or 0, follows and u or 0
  end
  if field == "k" then k = k + 1 else u = u + 1 end
  if begins then
    call("HSET", key, "w", rule.window_text, "k", text(k), "u", text(u), "pk", text(pk), "pu", text(pu), "r", "0")
  else
    call("HINCRBY", key, field, "1")
  end
  if w ~= rule.window then call("PEXPIRE", key, text(2 * rule.periodMs)) end
  local share = not begins and w > rule.window and 1 or rule.previous_share
  return k + pk * share, u + pu * share
end

-- Whether the failures reach the limit, not counting those that may come from accounts which signed in.
local function is_over(limit, k, u, toleration, now_key, before_key)
  if k + u < limit then return false end
  local accounts, allowed = 0, 0
  if toleration.maxPercent > 0 then
    accounts = math.max(call("PFCOUNT", now_key), call("PFCOUNT", before_key))
  end
  if accounts > 0 then
    local growth = math.min(1, math.log(accounts + 1) / math.log(100) * toleration.scale)
    local percent = toleration.minPercent + (toleration.maxPercent - toleration.minPercent) * growth
    allowed = math.floor(accounts * percent / 100)
  end
  local excused_unknown = math.min(u, math.floor(allowed / unknown_weight))
  local excused_known = math.min(k, allowed - unknown_weight * excused_unknown)
  return k + u - excused_known - excused_unknown >= limit
end

-- Counts the failure at a position of the batch. Its first string key is KEYS[string_at], its first other key
-- KEYS[key_at], and its rules follow own_rules[rule_at].
local function count(position, string_at, key_at, rule_at)
  local digest, is_known, rule_count = batch.digests[position], batch.known[position] == 1, batch.ruleCounts[position]
  local toleration = batch.tolerations[batch.tolerationOf[position]]
  local repeated, seen, prolonged, kept = false, 0, false, false
  if is_known then
    local memory = repeat_window
    for i = 1, rule_count do memory = math.max(memory, rules[own_rules[rule_at + i]].periodMs) end
    repeated, seen, prolonged, kept = remember(KEYS[key_at], KEYS[string_at], digest, memory)
  end
  -- A request that two engines received, because the first fell silent, counts once. A kept wrong password shows that too.
  local request_life = batch.requestLives[position]
  if not kept and request_life > 0 then
    repeated = not call("SET", KEYS[key_at + 2], "1", "PX", text(request_life), "NX")
  end
  local guesses = KEYS[key_at + 1]
  local changed = call("PFADD", guesses, digest) == 1
  local total = call("PFCOUNT", guesses)
  if changed and (not prolonged or total <= 1) then call("PEXPIRE", guesses, guesses_life) end
  local first, new = false, false
  for i = 1, rule_count do
    local rule, ban, at = rules[own_rules[rule_at + i]], KEYS[string_at + i], key_at + 3 * i
    if not repeated then
      local k, u = add(KEYS[at], rule, is_known and "k" or "u")
      if not new and not values[ban] and is_over(rule.limit, k, u, toleration, KEYS[at + 1], KEYS[at + 2]) then
        local written = text(now) .. " " .. text(now + rule.banMs) .. " " .. networks[rule_at + i] .. " " .. rule.name
        set(ban, written, rule.banMs)
        new = true
      end
    end
    first = first or values[ban]
  end
  return (repeated and 1 or 0) + (first and 2 or 0) + (new and 4 or 0), seen, total, first
end

local function message_of(err) return type(err) == "table" and err.err or tostring(err) end
local figures, explanations = {}, {}
local string_at, key_at, rule_at = 1, batch.stringKeys + 1, 0
for position = 1, #batch.digests do
  local rule_count = batch.ruleCounts[position]
  local last_key = key_at + 2 + 3 * rule_count
  local done, status, seen, total, first = pcall(count, position, string_at, key_at, rule_at)
  if not done and string.find(message_of(status), "WRONGTYPE", 1, true) then
    -- Only this script writes these keys. If one has another type, all of them are deleted and their counts begin
    -- again; otherwise no failure of this network could be counted.
    call("DEL", unpack(KEYS, key_at, last_key))
    done, status, seen, total, first = pcall(count, position, string_at, key_at, rule_at)
  end
  if not done then
    status, seen, total, first = -1, 0, 0, message_of(status)
  end
  local n = #figures
  figures[n + 1], figures[n + 2], figures[n + 3] = status, seen, total
  if first then explanations[#explanations + 1] = first end
  string_at, key_at, rule_at = string_at + 1 + rule_count, last_key + 1, rule_at + rule_count
end
table.insert(explanations, 1, table.concat(figures, " "))
return explanations
`,
};

export const knowsNetwork = {
  name: "knowsNetwork",
  keys: ["knownKey"] as const,
  args: ["network", "knownSeconds"] as const,
  lua: `-- Reports whether an account signed in from a network recently.
--
-- KEYS[1] known_key: sorted set of networks by the last sign-in (s since the epoch)
-- ARGV[1] network
-- ARGV[2] known_seconds: time for which a network is known
-- Reply: 1 if the network is known, otherwise 0.

local known_key = KEYS[1]
local network = ARGV[1]
local known_seconds = tonumber(ARGV[2])

local at_seconds = redis.call("ZSCORE", known_key, network)
local now_seconds = tonumber(redis.call("TIME")[1])
return at_seconds and tonumber(at_seconds) > now_seconds - known_seconds and 1 or 0
`,
};

export const noteGuess = {
  name: "noteGuess",
  lua: `-- Adds a member to each of two sets of recent members, and removes those that are too old or too many when the member is new.
--
-- KEYS, for each set: sorted set by time (s since the epoch). On a cluster a call has one, because they have different slots.
-- ARGV[1] now_seconds: the time of Redis, as the engine estimates it
-- ARGV, then for each set: member, largest number of members, age in seconds at which a member is removed
-- Reply: 1.

local call = redis.call
local now_seconds = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local member, max_members, life_seconds = ARGV[3 * i - 1], tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  if call("ZADD", key, now_seconds, member) == 1 then
    call("ZREMRANGEBYSCORE", key, "-inf", now_seconds - life_seconds)
    local excess = call("ZCARD", key) - max_members
    if excess > 0 then call("ZREMRANGEBYRANK", key, 0, excess - 1) end
  end
  call("EXPIRE", key, life_seconds)
end
return 1
`,
};

export const noteNetwork = {
  name: "noteNetwork",
  keys: ["knownKey"] as const,
  args: ["network", "knownSeconds", "maxNetworks"] as const,
  lua: `-- Notes that an account signed in from a network, and removes networks that are too old or too many.
--
-- KEYS[1] known_key: sorted set of networks by the last sign-in (s since the epoch)
-- ARGV[1] network
-- ARGV[2] known_seconds: time for which a network is known
-- ARGV[3] max_networks
-- Reply: 1.

local known_key = KEYS[1]
local network = ARGV[1]
local known_seconds = tonumber(ARGV[2])
local max_networks = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZADD", known_key, now_seconds, network)
redis.call("ZREMRANGEBYSCORE", known_key, "-inf", now_seconds - known_seconds)
redis.call("ZREMRANGEBYRANK", known_key, 0, -1 - max_networks)
redis.call("EXPIRE", known_key, known_seconds)
return 1
`,
};

export const recordSuccess = {
  name: "recordSuccess",
  lua: `-- Records a successful sign-in, unless the network is banned: the account counts in favour of its networks, and its
-- recent wrong passwords are subtracted again if they are few.
--
-- An attacker must not hide guesses behind users who sign in. Wrong passwords that were subtracted before are therefore
-- among the few, and a network cannot have more subtracted in a window than it may fail and is tolerated.
--
-- KEYS, all with one hash tag: wrong passwords, pending; then for each rule: ban, count, accounts that signed in during
--   this window
-- ARGV[1] account
-- ARGV[2] max_forgiven: wrong passwords that are subtracted
-- ARGV[3] accounts_life_ms: lifetime of the accounts that signed in, 0 if they are not counted
-- ARGV[4] memory_ms: time for which a wrong password is remembered
-- ARGV, then for each rule: period (ms), failed requests, minimum percentage of tolerated failures
-- Reply: name and value of each field.
--   ban: the first ban of these rules, or nil if there is none

local wrong_passwords_key = KEYS[1]
local pending_key = KEYS[2]
local account = ARGV[1]
local max_forgiven = tonumber(ARGV[2])
local accounts_life_ms = tonumber(ARGV[3])
local memory_ms = tonumber(ARGV[4])

local rules = {}
for i = 1, (#KEYS - 2) / 3 do
  local key, argument = 3 * i, 2 + 3 * i
  rules[i] = {
    ban_key = KEYS[key], count_key = KEYS[key + 1], accounts_key = KEYS[key + 2],
    period_ms = tonumber(ARGV[argument]), failed_requests = tonumber(ARGV[argument + 1]),
    min_percent = tonumber(ARGV[argument + 2]),
  }
end

local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

-- The count of a rule: window (w), failures of known (k) and unknown (u) accounts in it and in the previous window
-- (pk, pu), failures that were subtracted (r).
local function load(rule)
  local window = math.floor(now_ms / rule.period_ms)
  local h = redis.call("HMGET", rule.count_key, "w", "k", "u", "pk", "pu", "r")
  local c = { w = tonumber(h[1]) or window }
  c.k, c.u = tonumber(h[2]) or 0, tonumber(h[3]) or 0
  c.pk, c.pu, c.r = tonumber(h[4]) or 0, tonumber(h[5]) or 0, tonumber(h[6]) or 0
  if window > c.w then
    local follows = window == c.w + 1
    c = { w = window, k = 0, u = 0, pk = follows and c.k or 0, pu = follows and c.u or 0, r = 0 }
  end
  return c
end
local function store(rule, c)
  local window = string.format("%.0f", c.w)
  redis.call("HSET", rule.count_key, "w", window, "k", c.k, "u", c.u, "pk", c.pk, "pu", c.pu, "r", c.r)
  redis.call("PEXPIRE", rule.count_key, 2 * rule.period_ms)
end

-- Removes wrong passwords that have expired. Returns those that counted, and how many remain in total.
local function read_wrong_passwords()
  local counted, recent = {}, 0
  local all = redis.call("HGETALL", wrong_passwords_key)
  for i = 1, #all, 2 do
    local digest = all[i]
    local counted_at, last_at = string.match(all[i + 1], "^(%d+):(%d+)$")
    local is_recent = last_at and now_ms - tonumber(last_at) < memory_ms
    if is_recent then recent = recent + 1 else redis.call("HDEL", wrong_passwords_key, digest) end
    if counted_at and counted_at ~= "0" then
      counted[#counted + 1] = { digest = digest, counted_at_ms = tonumber(counted_at), last_at = is_recent and last_at }
    end
  end
  return counted, recent
end

local function subtract(rule, wrong_passwords)
  local most = rule.failed_requests
  if accounts_life_ms > 0 then
    most = most + math.floor(redis.call("PFCOUNT", rule.accounts_key) * rule.min_percent / 100)
  end
  if redis.call("EXISTS", rule.count_key) == 0 then return end
  local c = load(rule)
  for _, wrong in ipairs(wrong_passwords) do
    local window = math.floor(wrong.counted_at_ms / rule.period_ms)
    if c.r < most then
      c.r = c.r + 1
      if window == c.w then c.k = math.max(0, c.k - 1) end
      if window == c.w - 1 then c.pk = math.max(0, c.pk - 1) end
    end
  end
  store(rule, c)
end

local function record()
  for _, rule in ipairs(rules) do
    local ban = redis.call("GET", rule.ban_key)
    if ban then return ban end
  end
  if accounts_life_ms > 0 then
    for _, rule in ipairs(rules) do
      redis.call("PFADD", rule.accounts_key, account)
      redis.call("PEXPIRE", rule.accounts_key, accounts_life_ms)
    end
  end
  if redis.call("EXISTS", pending_key) == 0 then return false end
  redis.call("DEL", pending_key)
  local counted, recent = read_wrong_passwords()
  if #counted > 0 and recent <= max_forgiven then
    for _, wrong in ipairs(counted) do
      if wrong.last_at then redis.call("HSET", wrong_passwords_key, wrong.digest, "0:" .. wrong.last_at) end
    end
    for _, rule in ipairs(rules) do subtract(rule, counted) end
  end
  return false
end

-- Deletes a key of another type. Only this script and the one that counts failures write these keys.
local function delete_unless(expected, key)
  if redis.call("TYPE", key).ok ~= expected then redis.call("DEL", key) end
end

local function message_of(err) return type(err) == "table" and err.err or tostring(err) end
local done, answer = pcall(record)
if not done and string.find(message_of(answer), "WRONGTYPE", 1, true) then
  -- Otherwise no success of this network could be recorded. Bans that can be read stay.
  delete_unless("hash", wrong_passwords_key)
  delete_unless("string", pending_key)
  for _, rule in ipairs(rules) do
    delete_unless("string", rule.ban_key)
    delete_unless("hash", rule.count_key)
    -- A text that is not a HyperLogLog has the same type as one that is.
    redis.call("DEL", rule.accounts_key)
  end
  done, answer = pcall(record)
end
if not done then return redis.error_reply(message_of(answer)) end
return { "ban", answer }
`,
};
