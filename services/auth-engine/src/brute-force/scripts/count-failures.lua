-- Counts failed requests one after the other, and bans the networks that reach the limit of a rule.
--
-- An error in one failure does not affect the others. The keys of one failure have one hash tag; on a cluster a call
-- therefore has one failure. The script uses the time of Redis, so engines with different clocks share one window.
-- A call of a Redis command costs more than anything else here: all strings are read by one MGET, a count that stays
-- in its window changes one field, and lifetimes are prolonged only after part of them has passed.
--
-- KEYS, for each failure: pending, for each of its rules: ban, and with regions for each of its rules: failures elsewhere;
--   then again for each failure: wrong passwords, guesses, counted request, and for each of its rules: count, accounts that signed in
--   during this window, accounts that signed in during the previous one
-- ARGV[1] settings: JSON object, the same for every call of a process
--   repeatWindowMs: time in which the same wrong password counts once
--   maxDigests: wrong passwords that are remembered for an account
--   guessesLifeMs: lifetime of the guesses of a network
--   unknownWeight: number of tolerated failures that one failure of an unknown account uses up
--   rules: list of { name, periodMs, failedRequests, banMs }
-- ARGV[2] batch: JSON object
--   stringKeys: number of pending keys, bans and failures elsewhere
--   regions: whether there are keys of failures elsewhere; absent without regions
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

-- Remembers a wrong password of an account for `memory` ms. Returns whether it is a repetition, how many wrong
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

-- Failures within the last period in other regions, each by its own clock: of known and of unknown accounts.
local function count_elsewhere(written, period)
  local k, u = 0, 0
  for entry in string.gmatch(written, "[^;]+") do
    local ahead, w, wk, wu, pk, pu = string.match(entry, "^%S+ %d+ %d+ (-?%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$")
    if ahead then
      local there, counted = now + tonumber(ahead), tonumber(w)
      local window = math.floor(there / period)
      local share = 1 - (there % period) / period
      -- How much of the counted window, and of the one before it, is less than a period ago.
      local of_window = window <= counted and 1 or window == counted + 1 and share or 0
      local of_previous = window == counted and share or window < counted and 1 or 0
      k = k + wk * of_window + pk * of_previous
      u = u + wu * of_window + pu * of_previous
    end
  end
  return k, u
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
      local written = batch.regions and values[KEYS[string_at + rule_count + i]]
      if written then
        local more_k, more_u = count_elsewhere(written, rule.periodMs)
        k, u = k + more_k, u + more_u
      end
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
  string_at = string_at + 1 + rule_count * (batch.regions and 2 or 1)
  key_at, rule_at = last_key + 1, rule_at + rule_count
end
table.insert(explanations, 1, table.concat(figures, " "))
return explanations
