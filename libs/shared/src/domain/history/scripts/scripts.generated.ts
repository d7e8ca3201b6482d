// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const noteDecisions = {
  name: "noteDecisions",
  lua: `-- Adds decisions to the histories of accounts or networks of one shard, and removes what is too much or too old.
--
-- A decision that continues one of the latest runs of equal decisions changes that run in place. Records are sealed, so
-- a record begins with what this script reads: identity, first and last time (s) and count, separated by spaces.
-- Histories that are removed because there are too many share the hash tag of the index.
--
-- KEYS, in this order: the index of the shard, and for each decision the list that it belongs to
-- ARGV, in this order: now (s), lifetime (s), maximum of histories in the shard, maximum of records in a list, beginning of the
--   names of the shard's lists, then for each decision: digest of the account or network, 1 if the history may be
--   created or 0, identity, first time (s), last time (s), count, the rest of the record
-- Reply: number of decisions that were written; -1 if none was because little memory is left.

local call = redis.call
local index = KEYS[1]
local now, life = tonumber(ARGV[1]), tonumber(ARGV[2])
local max_histories, max_records, start = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
-- A run ends after an hour without such a decision.
local gap = 3600
-- The latest records that a decision may continue.
local near = 8
-- The rest is for bans, sessions and tokens, which share this server.
local share_of_memory = 0.75
local written = 0

-- Without a limit, or without the right to ask, memory is taken to suffice.
local function is_almost_full()
  local report = redis.pcall("INFO", "memory")
  if type(report) ~= "string" then return false end
  local limit = tonumber(string.match(report, "maxmemory:(%d+)")) or 0
  local used = tonumber(string.match(report, "used_memory:(%d+)")) or 0
  return limit > 0 and used > share_of_memory * limit
end

local function note(list, identity, first, last, count, rest)
  for i, record in ipairs(call("LRANGE", list, 0, near - 1)) do
    local other, its_first, its_last, its_count = string.match(record, "^(%S+) (%d+) (%d+) (%d+) ")
    if other == identity and first - tonumber(its_last) <= gap then
      local merged_last = math.max(last, tonumber(its_last))
      local merged = string.format("%s %s %.0f %.0f ", identity, its_first, merged_last, tonumber(its_count) + count)
      call("LSET", list, i - 1, merged .. rest)
      return
    end
  end
  call("LPUSH", list, string.format("%s %.0f %.0f %.0f ", identity, first, last, count) .. rest)
  call("LTRIM", list, 0, max_records - 1)
end

if is_almost_full() then return -1 end

for i = 2, #KEYS do
  local at = 6 + (i - 2) * 7
  local digest, may_create = ARGV[at], ARGV[at + 1] == "1"
  if may_create or call("ZSCORE", index, digest) then
    note(KEYS[i], ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), ARGV[at + 6])
    call("EXPIRE", KEYS[i], life)
    call("ZADD", index, "GT", ARGV[at + 4], digest)
    written = written + 1
  end
end
call("ZREMRANGEBYSCORE", index, "-inf", now - life)
local excess = call("ZCARD", index) - max_histories
if excess > 0 then
  local popped = call("ZPOPMIN", index, excess)
  for i = 1, #popped, 2 do call("UNLINK", start .. popped[i] .. ":ok", start .. popped[i] .. ":other") end
end
call("EXPIRE", index, life)
return written
`,
};

export const noteReferences = {
  name: "noteReferences",
  lua: `-- Notes in which history the decisions of references are, and removes the oldest references.
--
-- KEYS[1] references_key: sorted set by time (s since the epoch)
-- ARGV, in this order: now (s), lifetime (s), maximum of references, then for each decision its time (s) and its place
-- Reply: 1.

local references_key = KEYS[1]

-- A call of a command costs more than its work; Lua passes some thousand arguments at most.
local arguments_at_a_time = 1000
for i = 4, #ARGV, arguments_at_a_time do
  redis.call("ZADD", references_key, unpack(ARGV, i, math.min(i + arguments_at_a_time - 1, #ARGV)))
end
redis.call("ZREMRANGEBYRANK", references_key, 0, -1 - tonumber(ARGV[3]))
redis.call("ZREMRANGEBYSCORE", references_key, "-inf", tonumber(ARGV[1]) - tonumber(ARGV[2]))
redis.call("EXPIRE", references_key, ARGV[2])
return 1
`,
};

export const noteTraffic = {
  name: "noteTraffic",
  lua: `-- Adds decisions to the counts of one hour.
--
-- KEYS[1] traffic_key: hash of counts by minute and outcome
-- KEYS[2] networks_key: sorted set of networks by failures
-- ARGV, in this order: lifetime (s), maximum of networks, number of counts, then for each count its field and number, then for
--   each network its name and failures
-- Reply: 1.

local traffic_key = KEYS[1]
local networks_key = KEYS[2]

local first_network = 4 + 2 * tonumber(ARGV[3])
for i = 4, first_network - 1, 2 do redis.call("HINCRBY", traffic_key, ARGV[i], ARGV[i + 1]) end
for i = first_network, #ARGV, 2 do redis.call("ZINCRBY", networks_key, ARGV[i + 1], ARGV[i]) end
-- Between two calls the set may grow; trimming a full set at each call would drop every new network immediately.
if redis.call("ZCARD", networks_key) > 2 * tonumber(ARGV[2]) then
  redis.call("ZREMRANGEBYRANK", networks_key, 0, -1 - tonumber(ARGV[2]))
end
redis.call("EXPIRE", traffic_key, ARGV[1])
redis.call("EXPIRE", networks_key, ARGV[1])
return 1
`,
};
