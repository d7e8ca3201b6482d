/**
 * Counts failures one after the other and decides about their bans. What went wrong with one does not touch the others.
 * Without a cluster the failures of a call have any keys; those of one failure have one hash tag.
 *
 * KEYS: the ban of each rule of each failure; then for each failure: wrong passwords, pending, guesses, and for each of
 * its rules: count, accounts that signed in now and before.
 * ARGV: repeat window (ms), most digests, life of the guesses (ms), weight of unknown accounts, number of rules and of
 * tolerations, of bans among the keys; for each rule: name, period (ms), failed requests, ban (ms); for each toleration:
 * least and most percent, scale; then for each failure: digest, known (1 or 0), number of its toleration and of its
 * rules, and for each of these: name, network.
 * Returns for each failure: status (1: repeated, 2: banned, 4: by a ban that is new; -1: failed), digests of the
 * account, guesses of the network; then, for those that are banned or failed, the first ban or the error.
 *
 * Times are Redis's own, so that engines whose clocks differ share one window. A call of Redis costs more than anything
 * else here: bans are read at once, a count that stays in its window changes one field, and lives are prolonged when
 * some of them is gone, which the value of the pending key tells (the end of the wrong passwords).
 */
export const countLua = `
local time = redis.call("TIME")
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
local repeat_window, most_digests = tonumber(ARGV[1]), tonumber(ARGV[2])
local guesses_life, weight = ARGV[3], tonumber(ARGV[4])
local late = tonumber(guesses_life) / 24
local keys = tonumber(ARGV[7])
local at = 7
local rules = {}
for _ = 1, tonumber(ARGV[5]) do
  local period = tonumber(ARGV[at + 2])
  local window = math.floor(now / period)
  rules[ARGV[at + 1]] = {
    name = ARGV[at + 1], period = period, limit = tonumber(ARGV[at + 3]) - 1e-9, ban = tonumber(ARGV[at + 4]),
    window = window, window_text = text(window), left = 1 - (now % period) / period,
  }
  at = at + 4
end
local tolerations = {}
for i = 1, tonumber(ARGV[6]) do
  tolerations[i] = { least = tonumber(ARGV[at + 1]), most = tonumber(ARGV[at + 2]), scale = tonumber(ARGV[at + 3]) }
  at = at + 3
end
local bans = {}
for i, value in ipairs(redis.call("MGET", unpack(KEYS, 1, keys))) do bans[KEYS[i]] = value end

-- Whether this wrong password is a repetition, how many the account has, whether its keys were prolonged of late.
local function remember(key, pending, digest, memory)
  local seen = redis.call("HLEN", key)
  local old = false
  if seen < most_digests and redis.call("HSETNX", key, digest, fresh) == 1 then
    seen = seen + 1
  else
    old = redis.call("HGET", key, digest)
  end
  if old then
    local counted, last = string.match(old, "^(%d+):(%d+)$")
    local repeated = last and now - tonumber(last) < memory
    redis.call("HSET", key, digest, (repeated and counted or text(now)) .. ":" .. text(now))
    if repeated then
      redis.call("PEXPIRE", key, text(2 * memory))
      return true, seen, false
    end
  end
  local left = (tonumber(redis.call("GETEX", pending, "PX", text(memory))) or 0) - now
  if seen > 1 and left <= 2 * memory and left > 2 * memory - math.min(memory, late) then
    return false, seen, true
  end
  redis.call("PEXPIRE", key, text(2 * memory))
  redis.call("SET", pending, text(now + 2 * memory), "PX", text(memory))
  return false, seen, false
end

-- Adds to a count, and returns failures of known and unknown accounts as they count now.
local function add(key, rule, field)
  local c = redis.call("HMGET", key, "w", "k", "u", "pk", "pu")
  local w = c[1] == rule.window_text and rule.window or tonumber(c[1])
  local k, u, pk, pu = tonumber(c[2]) or 0, tonumber(c[3]) or 0, tonumber(c[4]) or 0, tonumber(c[5]) or 0
  local moves = not w or rule.window > w
  if moves then
    local follows = rule.window - 1 == w
    k, u, pk, pu = 0, 0, follows and k or 0, follows and u or 0
  end
  if field == "k" then k = k + 1 else u = u + 1 end
  if moves then
    redis.call("HSET", key, "w", rule.window_text, "k", text(k), "u", text(u), "pk", text(pk), "pu", text(pu), "r", "0")
  else
    redis.call("HINCRBY", key, field, "1")
  end
  if w ~= rule.window then redis.call("PEXPIRE", key, text(2 * rule.period)) end
  local left = not moves and w > rule.window and 1 or rule.left
  return k + pk * left, u + pu * left
end

-- Whether so many failures are too many, although accounts signed in.
local function is_over(limit, k, u, toleration, now_key, before_key)
  if k + u < limit then return false end
  local accounts, allowed = 0, 0
  if toleration.most > 0 then
    accounts = math.max(redis.call("PFCOUNT", now_key), redis.call("PFCOUNT", before_key))
  end
  if accounts > 0 then
    local growth = math.min(1, math.log(accounts + 1) / math.log(100) * toleration.scale)
    allowed = math.floor(accounts * (toleration.least + (toleration.most - toleration.least) * growth) / 100)
  end
  local excused_unknown = math.min(u, math.floor(allowed / weight))
  local excused_known = math.min(k, allowed - weight * excused_unknown)
  return k + u - excused_known - excused_unknown >= limit
end

local function count(key, ban, arg, places)
  local digest, known, toleration = ARGV[arg], ARGV[arg + 1] == "1", tolerations[tonumber(ARGV[arg + 2])]
  local repeated, seen, prolonged = false, 0, false
  if known then
    local memory = repeat_window
    for i = 1, places do memory = math.max(memory, rules[ARGV[arg + 2 + 2 * i]].period) end
    repeated, seen, prolonged = remember(KEYS[key], KEYS[key + 1], digest, memory)
  end
  local changed = redis.call("PFADD", KEYS[key + 2], digest) == 1
  local total = redis.call("PFCOUNT", KEYS[key + 2])
  if changed and (not prolonged or total <= 1) then redis.call("PEXPIRE", KEYS[key + 2], guesses_life) end
  local first, new = false, false
  for i = 1, places do
    local rule, ban_key = rules[ARGV[arg + 2 + 2 * i]], KEYS[ban + i - 1]
    local count_key = key + 3 * i
    local k, u = 0, 0
    if not repeated then k, u = add(KEYS[count_key], rule, known and "k" or "u") end
    if not repeated and not new and not bans[ban_key]
      and is_over(rule.limit, k, u, toleration, KEYS[count_key + 1], KEYS[count_key + 2]) then
      local written = text(now) .. " " .. text(now + rule.ban) .. " " .. ARGV[arg + 3 + 2 * i] .. " " .. rule.name
      redis.call("SET", ban_key, written, "PX", text(rule.ban))
      bans[ban_key], new = written, true
    end
    first = first or bans[ban_key]
  end
  return (repeated and 1 or 0) + (first and 2 or 0) + (new and 4 or 0), seen, total, first
end

local answers, said = {}, {}
local key, ban, arg, last = keys + 1, 1, at + 1, #ARGV
while arg <= last do
  local places = tonumber(ARGV[arg + 3])
  local done, status, seen, total, first = pcall(count, key, ban, arg, places)
  if not done then
    status, seen, total, first = -1, 0, 0, type(status) == "table" and status.err or tostring(status)
  end
  local n = #answers
  answers[n + 1], answers[n + 2], answers[n + 3] = status, seen, total
  if first then said[#said + 1] = first end
  key, ban, arg = key + 3 + 3 * places, ban + places, arg + 4 + 2 * places
end
for i = 1, #said do answers[#answers + 1] = said[i] end
return answers
`;
