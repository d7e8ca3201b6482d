/**
 * Learns from a success, unless a ban stands: the account counts in favour of its network, and its wrong passwords are
 * taken back when they are few. So that nobody can guess behind the back of those who sign in, those that were taken
 * back before are among the few, and a network gets no more back in a window than it may fail and is tolerated.
 *
 * KEYS: wrong passwords, pending; then for each rule: ban, count, accounts that signed in now.
 * ARGV: account, wrong passwords that are taken back, life of the accounts (ms, 0: none), repeat window (ms); then for
 * each rule: period (ms), failed requests, least percent.
 * Returns the first banned rule (from 1, or 0) and its value.
 */
export const successLua = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format("%.0f", number) end
local function load(key, window)
  local h = redis.call("HMGET", key, "w", "k", "u", "pk", "pu", "r")
  local c = { w = tonumber(h[1]) or window }
  c.k, c.u = tonumber(h[2]) or 0, tonumber(h[3]) or 0
  c.pk, c.pu, c.r = tonumber(h[4]) or 0, tonumber(h[5]) or 0, tonumber(h[6]) or 0
  if window > c.w then
    local follows = window == c.w + 1
    c = { w = window, k = 0, u = 0, pk = follows and c.k or 0, pu = follows and c.u or 0, r = 0 }
  end
  return c
end
local function store(key, c, period)
  redis.call("HSET", key, "w", text(c.w), "k", c.k, "u", c.u, "pk", c.pk, "pu", c.pu, "r", c.r)
  redis.call("PEXPIRE", key, 2 * period)
end
local rules = (#KEYS - 2) / 3
for i = 1, rules do
  local standing = redis.call("GET", KEYS[2 + (i - 1) * 3 + 1])
  if standing then return { i, standing } end
end
local life = tonumber(ARGV[3])
if life > 0 then
  for i = 1, rules do
    local key = KEYS[2 + (i - 1) * 3 + 3]
    redis.call("PFADD", key, ARGV[1])
    redis.call("PEXPIRE", key, life)
  end
end
if redis.call("EXISTS", KEYS[2]) == 1 then
  redis.call("DEL", KEYS[2])
  local counted, recent, memory = {}, 0, tonumber(ARGV[4])
  local all = redis.call("HGETALL", KEYS[1])
  for j = 1, #all, 2 do
    local at, last = string.match(all[j + 1], "^(%d+):(%d+)$")
    local stays = last and now - tonumber(last) < memory
    if stays then recent = recent + 1 else redis.call("HDEL", KEYS[1], all[j]) end
    if at and at ~= "0" then counted[#counted + 1] = { all[j], tonumber(at), stays and last } end
  end
  if #counted > 0 and recent <= tonumber(ARGV[2]) then
    for _, one in ipairs(counted) do
      if one[3] then redis.call("HSET", KEYS[1], one[1], "0:" .. one[3]) end
    end
    for i = 1, rules do
      local key, a = KEYS[2 + (i - 1) * 3 + 2], 4 + (i - 1) * 3
      local period, most = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
      if life > 0 then most = most + math.floor(redis.call("PFCOUNT", KEYS[2 + i * 3]) * tonumber(ARGV[a + 3]) / 100) end
      if redis.call("EXISTS", key) == 1 then
        local c = load(key, math.floor(now / period))
        for _, one in ipairs(counted) do
          local window = math.floor(one[2] / period)
          if c.r < most then
            c.r = c.r + 1
            if window == c.w then c.k = math.max(0, c.k - 1) end
            if window == c.w - 1 then c.pk = math.max(0, c.pk - 1) end
          end
        end
        store(key, c, period)
      end
    end
  end
end
return { 0, "" }
`;
