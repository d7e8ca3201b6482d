-- Records a successful sign-in, unless the network is banned: the account counts in favour of its networks, and its
-- recent wrong passwords are subtracted again if they are few.
--
-- An attacker must not hide guesses behind users who sign in. Wrong passwords that were subtracted before are therefore
-- among the few, and a network cannot have more subtracted in a window than it may fail and is tolerated.
--
-- KEYS, all with one hash tag: wrong passwords, pending; then for each rule: ban, count, accounts that signed in during
--   this window; then, not on a cluster, for each name of the account: known networks, with another hash tag
-- ARGV[1] account
-- ARGV[2] max_forgiven: wrong passwords that are subtracted
-- ARGV[3] accounts_life_ms: lifetime of the accounts that signed in, 0 if they are not counted
-- ARGV[4] memory_ms: time for which a wrong password is remembered
-- ARGV[5] network of the client, which the account knows from now on
-- ARGV[6] now_seconds: the time of Redis, as the engine estimates it
-- ARGV[7] known_seconds: time for which a network is known
-- ARGV[8] max_networks
-- ARGV[9] is_trimmed: 1 to remove the oldest networks if they are too many, otherwise 0
-- ARGV, then for each rule: period (ms), failed requests, minimum percentage of tolerated failures
-- Reply: name and value of each field.
--   ban: the first ban of these rules, or nil if there is none
--   noted: 1 if the network was noted, otherwise 0

local wrong_passwords_key = KEYS[1]
local pending_key = KEYS[2]
local account = ARGV[1]
local max_forgiven = tonumber(ARGV[2])
local accounts_life_ms = tonumber(ARGV[3])
local memory_ms = tonumber(ARGV[4])

local rules = {}
for i = 1, (#ARGV - 9) / 3 do
  local key, argument = 3 * i, 7 + 3 * i
  rules[i] = {
    ban_key = KEYS[key], count_key = KEYS[key + 1], accounts_key = KEYS[key + 2],
    period_ms = tonumber(ARGV[argument]), failed_requests = tonumber(ARGV[argument + 1]),
    min_percent = tonumber(ARGV[argument + 2]),
  }
end

-- Read only if there is something to subtract.
local now_ms
local function read_time()
  local time = redis.call("TIME")
  now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

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
      -- The key belongs to one window, so the lifetime of its creation suffices.
      if redis.call("PFADD", rule.accounts_key, account) == 1 then
        redis.call("PEXPIRE", rule.accounts_key, accounts_life_ms)
      end
    end
  end
  if redis.call("EXISTS", pending_key) == 0 then return false end
  read_time()
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
if answer then return { "ban", answer, "noted", 0 } end

-- As in note-network.lua, in this call: after the ban was read, and with the lifetime of the key.
local function note(known_key)
  if redis.call("ZADD", known_key, ARGV[6], ARGV[5]) == 1 and ARGV[9] == "1" then
    redis.call("ZREMRANGEBYRANK", known_key, 0, -1 - tonumber(ARGV[8]))
  end
  redis.call("EXPIRE", known_key, ARGV[7])
end
local noted = 1
for i = 3 + 3 * #rules, #KEYS do
  if not pcall(note, KEYS[i]) then noted = 0 end
end
return { "ban", false, "noted", noted }
