/**
 * Counts failures one after the other and decides about their bans. What went wrong with one does not touch the others.
 * Without a cluster the failures of a call have any keys; those of one failure have one hash tag.
 *
 * KEYS: for each failure: pending, and the ban of each of its rules; then again for each: wrong passwords, guesses, and
 * for each of its rules: count, accounts that signed in now and before.
 * ARGV: one JSON text, as one argument costs less than many: four lists.
 * 1. repeat window (ms), most digests, life of the guesses (ms), weight of unknown accounts, number of pending keys and
 *    bans
 * 2. for each rule: name, period (ms), failed requests, ban (ms)
 * 3. for each toleration: least and most percent, scale
 * 4. for each failure: digest, known (1 or 0), which toleration, how many rules, and for each of these: which, network
 * Returns one text for the same reason: for each failure its status (1: repeated, 2: banned, 4: by a ban that is new;
 * -1: failed), digests of the account, guesses of the network, with spaces between; then, for those that are banned or
 * failed, the first ban or the error.
 *
 * Times are Redis's own, so that engines whose clocks differ share one window. A call of Redis costs more than anything
 * else here: strings are read at once, a count that stays in its window changes one field, and lives are prolonged when
 * some of them is gone. The value of the pending key tells when: it is the end of the wrong passwords.
 */
export const countLua = `
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
local told = cjson.decode(ARGV[1])
local start, args = told[1], told[4]
local repeat_window, most_digests, weight, strings = start[1], start[2], start[4], start[5]
local guesses_life = text(start[3])
local late = start[3] / 24
local rules = {}
for i = 1, #told[2], 4 do
  local period = told[2][i + 1]
  local window = math.floor(now / period)
  rules[#rules + 1] = {
    name = told[2][i], period = period, limit = told[2][i + 2] - 1e-9, ban = told[2][i + 3],
    window = window, window_text = text(window), left = 1 - (now % period) / period,
  }
end
local tolerations = {}
for i = 1, #told[3], 3 do
  tolerations[#tolerations + 1] = { least = told[3][i], most = told[3][i + 1], scale = told[3][i + 2] }
end
local function number(written) return written ~= "0" and tonumber(written) or 0 end
local values = {}
for i, value in ipairs(call("MGET", unpack(KEYS, 1, strings))) do values[KEYS[i]] = value end
local function set(key, value, life)
  call("SET", key, value, "PX", text(life))
  values[key] = value
end

-- Whether this wrong password is a repetition, how many the account has, whether its keys were prolonged of late.
local function remember(key, pending, digest, memory)
  local seen = call("HLEN", key)
  local old = false
  if seen < most_digests and call("HSETNX", key, digest, fresh) == 1 then
    seen = seen + 1
  else
    old = call("HGET", key, digest)
  end
  if old then
    local counted, last = string.match(old, "^(%d+):(%d+)$")
    local repeated = last and now - tonumber(last) < memory
    call("HSET", key, digest, (repeated and counted or text(now)) .. ":" .. text(now))
    if repeated then
      call("PEXPIRE", key, text(2 * memory))
      return true, seen, false
    end
  end
  local left, spare = number(values[pending]) - now, math.min(memory, late)
  if seen > 1 and left <= 2 * memory and left > 2 * memory - spare then return false, seen, true end
  call("PEXPIRE", key, text(2 * memory))
  set(pending, text(now + 2 * memory), memory + spare)
  return false, seen, false
end

-- Adds to a count, and returns failures of known and unknown accounts as they count now.
local function add(key, rule, field)
  local c = call("HMGET", key, "w", "k", "u", "pk", "pu")
  local w = c[1] == rule.window_text and rule.window or tonumber(c[1])
  local k, u, pk, pu = number(c[2]), number(c[3]), number(c[4]), number(c[5])
  local moves = not w or rule.window > w
  if moves then
    local follows = rule.window - 1 == w
    k, u, pk, pu = 0, 0, follows and k or 0, follows and u or 0
  end
  if field == "k" then k = k + 1 else u = u + 1 end
  if moves then
    call("HSET", key, "w", rule.window_text, "k", text(k), "u", text(u), "pk", text(pk), "pu", text(pu), "r", "0")
  else
    call("HINCRBY", key, field, "1")
  end
  if w ~= rule.window then call("PEXPIRE", key, text(2 * rule.period)) end
  local left = not moves and w > rule.window and 1 or rule.left
  return k + pk * left, u + pu * left
end

-- Whether so many failures are too many, although accounts signed in.
local function is_over(limit, k, u, toleration, now_key, before_key)
  if k + u < limit then return false end
  local accounts, allowed = 0, 0
  if toleration.most > 0 then
    accounts = math.max(call("PFCOUNT", now_key), call("PFCOUNT", before_key))
  end
  if accounts > 0 then
    local growth = math.min(1, math.log(accounts + 1) / math.log(100) * toleration.scale)
    allowed = math.floor(accounts * (toleration.least + (toleration.most - toleration.least) * growth) / 100)
  end
  local excused_unknown = math.min(u, math.floor(allowed / weight))
  local excused_known = math.min(k, allowed - weight * excused_unknown)
  return k + u - excused_known - excused_unknown >= limit
end

local function count(str, key, arg, places)
  local digest, known, toleration = args[arg], args[arg + 1] == 1, tolerations[args[arg + 2]]
  local repeated, seen, prolonged = false, 0, false
  if known then
    local memory = repeat_window
    for i = 1, places do memory = math.max(memory, rules[args[arg + 2 + 2 * i]].period) end
    repeated, seen, prolonged = remember(KEYS[key], KEYS[str], digest, memory)
  end
  local guesses = KEYS[key + 1]
  local changed = call("PFADD", guesses, digest) == 1
  local total = call("PFCOUNT", guesses)
  if changed and (not prolonged or total <= 1) then call("PEXPIRE", guesses, guesses_life) end
  local first, new = false, false
  for i = 1, places do
    local rule, ban, at = rules[args[arg + 2 + 2 * i]], KEYS[str + i], key + 3 * i - 1
    if not repeated then
      local k, u = add(KEYS[at], rule, known and "k" or "u")
      if not new and not values[ban] and is_over(rule.limit, k, u, toleration, KEYS[at + 1], KEYS[at + 2]) then
        local network = args[arg + 3 + 2 * i]
        set(ban, text(now) .. " " .. text(now + rule.ban) .. " " .. network .. " " .. rule.name, rule.ban)
        new = true
      end
    end
    first = first or values[ban]
  end
  return (repeated and 1 or 0) + (first and 2 or 0) + (new and 4 or 0), seen, total, first
end

local function said_by(err) return type(err) == "table" and err.err or tostring(err) end
local answers, said = {}, {}
local str, key, arg, last = 1, strings + 1, 1, #args
while arg <= last do
  local places = args[arg + 3]
  local done, status, seen, total, first = pcall(count, str, key, arg, places)
  if not done and string.find(said_by(status), "WRONGTYPE", 1, true) then
    -- Nobody else writes these keys: what is no count of ours begins anew, else nothing of this network would count.
    call("DEL", unpack(KEYS, key, key + 1 + 3 * places))
    done, status, seen, total, first = pcall(count, str, key, arg, places)
  end
  if not done then
    status, seen, total, first = -1, 0, 0, said_by(status)
  end
  local n = #answers
  answers[n + 1], answers[n + 2], answers[n + 3] = status, seen, total
  if first then said[#said + 1] = first end
  str, key, arg = str + 1 + places, key + 2 + 3 * places, arg + 4 + 2 * places
end
table.insert(said, 1, table.concat(answers, " "))
return said
`;
