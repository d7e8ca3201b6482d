-- Keeps what another region has counted: the newest version.
--
-- For an account, it then writes the failures of all regions, if they are enough for the account delay.
--
-- KEYS, all with one hash tag: counts of the other regions; for an account then: failures, delayed account
-- ARGV[1] region
-- ARGV[2] version
-- ARGV[3] sent_ms: time of that region's Redis when the count was read
-- ARGV[4] figures: of a network, separated by blanks: window, failures of known and unknown accounts in it and in the one before; of an
--   account: failures, and when they end, by the clock of that region
-- ARGV[5] life_ms
-- ARGV[6] slowed_from: failures from which an account is slowed; 0 for a network
-- ARGV[7] max_failures: of an account
-- Reply: 1 if it is newer than what was known, otherwise 0

local call = redis.call
local region, version, figures = ARGV[1], ARGV[2], ARGV[4]
local sent_ms, life_ms = tonumber(ARGV[3]), tonumber(ARGV[5])
local slowed_from, max_failures = tonumber(ARGV[6]), tonumber(ARGV[7])

local time = call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format("%.0f", number) end

-- Each entry: region, version, version of that region's last flush, its clock's difference to this one (ms), and the figures.
local entries, flushed = {}, "0"
for entry in string.gmatch(call("GET", KEYS[1]) or "", "[^;]+") do
  local of, known, its_flush = string.match(entry, "^(%S+) (%d+) (%d+)")
  if of ~= region then
    entries[#entries + 1] = entry
  else
    if tonumber(known) >= tonumber(version) then return 0 end
    flushed = its_flush
  end
end
entries[#entries + 1] = table.concat({ region, version, flushed, text(sent_ms - now), figures }, " ")
table.sort(entries)
call("SET", KEYS[1], table.concat(entries, ";"), "PX", text(math.max(life_ms, call("PTTL", KEYS[1]))))
if slowed_from == 0 then return 1 end

local total, end_ms = call("SCARD", KEYS[2]), now + math.max(0, call("PTTL", KEYS[2]))
for _, entry in ipairs(entries) do
  local offset, failures, ends = string.match(entry, "^%S+ %d+ %d+ (-?%d+) (%d+) (%d+)$")
  if ends and tonumber(ends) > now + tonumber(offset) then
    total = total + tonumber(failures)
    end_ms = math.max(end_ms, tonumber(ends) - tonumber(offset))
  end
end
if total < slowed_from or end_ms <= now then
  call("DEL", KEYS[3])
else
  call("SET", KEYS[3], text(math.min(max_failures, total)), "PX", text(math.max(end_ms - now, call("PTTL", KEYS[3]))))
end
return 1
