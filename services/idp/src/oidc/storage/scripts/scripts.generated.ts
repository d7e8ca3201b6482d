// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const addRecordToIndex = {
  name: "addRecordToIndex",
  keys: ["indexKey"] as const,
  args: ["nowSeconds", "member", "endSeconds", "lifeSeconds"] as const,
  lua: `-- Lists a record in an index, and removes records that have expired. The index lives as long as its longest record.
--
-- KEYS[1] index_key: sorted set by the end of the record (s since the epoch)
-- ARGV[1] now_seconds: s since the epoch
-- ARGV[2] member: the record
-- ARGV[3] end_seconds: end of the record (s since the epoch)
-- ARGV[4] life_seconds: lifetime of the record
-- Reply: 1.

local index_key = KEYS[1]
local now_seconds = ARGV[1]
local member = ARGV[2]
local end_seconds = ARGV[3]
local life_seconds = tonumber(ARGV[4])

redis.call("ZREMRANGEBYSCORE", index_key, "-inf", now_seconds)
redis.call("ZADD", index_key, end_seconds, member)
if redis.call("TTL", index_key) < life_seconds then redis.call("EXPIRE", index_key, life_seconds) end
return 1
`,
};

export const consumeRecord = {
  name: "consumeRecord",
  keys: ["recordKey"] as const,
  args: ["graceMs", "isRepeatable"] as const,
  lua: `-- Consumes a record that may be used once.
--
-- The script uses the time of Redis, so all replicas agree.
--
-- KEYS[1] record_key: hash
-- ARGV[1] grace_ms: time after the first use in which a repeatable record may be used again
-- ARGV[2] is_repeatable: 1 if the grace applies, 0 if every second use is rejected
-- Reply: "consumed"; "used" if it was used before; "unknown" if there is no such record.

local record_key = KEYS[1]
local grace_ms = tonumber(ARGV[1])
local is_repeatable = ARGV[2] == "1"

if redis.call("EXISTS", record_key) == 0 then return "unknown" end
local time = redis.call("TIME")
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local used_at_ms = redis.call("HGET", record_key, "c")
if not used_at_ms then
  redis.call("HSET", record_key, "c", string.format("%.0f", now_ms))
  return "consumed"
end
if is_repeatable and now_ms - tonumber(used_at_ms) <= grace_ms then return "consumed" end
return "used"
`,
};

export const electSuccessor = {
  name: "electSuccessor",
  keys: ["recordKey"] as const,
  args: ["sealedSuccessor"] as const,
  lua: `-- Chooses one successor of a record. Of several proposals the first wins.
--
-- KEYS[1] record_key: hash
-- ARGV[1] sealed_successor: the proposal
-- Reply: the sealed successor that won.

local record_key = KEYS[1]
local sealed_successor = ARGV[1]

redis.call("HSETNX", record_key, "s", sealed_successor)
return redis.call("HGET", record_key, "s")
`,
};

export const putOnceRecord = {
  name: "putOnceRecord",
  keys: ["recordKey"] as const,
  args: ["sealed", "lifeSeconds"] as const,
  lua: `-- Writes a record that may be used once, with its lifetime.
--
-- KEYS[1] record_key: hash
-- ARGV[1] sealed: the sealed record
-- ARGV[2] life_seconds: lifetime of the record
-- Reply: 1.

local record_key = KEYS[1]
local sealed = ARGV[1]
local life_seconds = ARGV[2]

redis.call("HSET", record_key, "v", sealed)
redis.call("EXPIRE", record_key, life_seconds)
return 1
`,
};
