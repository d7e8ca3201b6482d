-- Adds one batch of sign-ins to those of each domain, unless this engine has already sent it.
--
-- KEYS[1] batch_key: number of the engine's last batch
-- ARGV, in this order: number of the batch, lifetime of that number (s), the hash of the day, in the same slot, its lifetime (s), the domains
--   that it counts by themselves, its field for all others, time (s), lifetime of sets of accounts (s), number of sets of a domain, then for
--   each domain its name, successes, failures, and for each set its key, in the same slot, its number of accounts, and these
-- Reply: 1, or 0 if the batch was there already.

local call = redis.call
local last = call("GET", KEYS[1])
if last and tonumber(last) >= tonumber(ARGV[1]) then return 0 end
call("SET", KEYS[1], ARGV[1], "EX", ARGV[2])

local day, day_life, at_most, others = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local seconds, sets_life, sets = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])
-- A call with more arguments would not fit on the stack.
local accounts_at_a_time = 1000

local function add(field, known, ok, failed)
  local ok_before, failed_before, time = string.match(known or "", "^(%d+) (%d+) (%d+)$")
  time = math.max(tonumber(time) or 0, ok > 0 and seconds or 0)
  local sums = { (tonumber(ok_before) or 0) + ok, (tonumber(failed_before) or 0) + failed, time }
  call("HSET", day, field, string.format("%.0f %.0f %.0f", sums[1], sums[2], sums[3]))
end

local counted = call("HLEN", day)
local i = 10
while i <= #ARGV do
  local domain, ok, failed = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local known = call("HGET", day, domain)
  local is_counted = known or domain == others or counted < at_most
  if not is_counted then
    add(others, call("HGET", day, others), ok, failed)
  elseif ok > 0 or failed > 0 then
    if not known then counted = counted + 1 end
    add(domain, known, ok, failed)
  end
  i = i + 3
  for _ = 1, sets do
    local key, number = ARGV[i], tonumber(ARGV[i + 1])
    local first, after = i + 2, i + 2 + number
    while is_counted and first < after do
      local upto = math.min(first + accounts_at_a_time, after) - 1
      call("PFADD", key, unpack(ARGV, first, upto))
      first = upto + 1
    end
    if is_counted and number > 0 then call("EXPIRE", key, sets_life) end
    i = after
  end
end
call("EXPIRE", day, day_life)
return 1
