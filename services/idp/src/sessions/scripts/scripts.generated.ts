// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const indexSession = {
  name: "indexSession",
  keys: ["indexKey"] as const,
  args: ["endMs", "lifeMs", "uid"] as const,
  lua: `-- Lists a session in the index of its account. The index lives as long as its longest session.
--
-- KEYS[1] index_key: sorted set by the end of the session (ms since the epoch)
-- ARGV[1] end_ms: end of the session (ms since the epoch)
-- ARGV[2] life_ms: time until then (ms)
-- ARGV[3] uid: the session
-- Reply: 1 if this session determines the lifetime of the index, otherwise 0.

local index_key = KEYS[1]
local end_ms = ARGV[1]
local life_ms = ARGV[2]
local uid = ARGV[3]

redis.call("ZADD", index_key, end_ms, uid)
if redis.call("PEXPIRE", index_key, life_ms, "NX") == 1 then return 1 end
return redis.call("PEXPIRE", index_key, life_ms, "GT")
`,
};

export const insertSession = {
  name: "insertSession",
  keys: ["recordKey"] as const,
  args: ["sealed", "nowMs", "lifeMs"] as const,
  lua: `-- Writes the record of a new session with version 1.
--
-- KEYS[1] record_key: hash
-- ARGV[1] sealed: the sealed record
-- ARGV[2] now_ms: time of the last use (ms since the epoch)
-- ARGV[3] life_ms: lifetime of the record
-- Reply: 1.

local record_key = KEYS[1]
local sealed = ARGV[1]
local now_ms = ARGV[2]
local life_ms = ARGV[3]

redis.call("HSET", record_key, "v", sealed, "n", 1, "s", now_ms)
return redis.call("PEXPIRE", record_key, life_ms)
`,
};

export const removeSession = {
  name: "removeSession",
  keys: ["recordKey"] as const,
  args: ["expectedVersion"] as const,
  lua: `-- Removes the record of a session if its version is still the one that was read.
--
-- KEYS[1] record_key: hash
-- ARGV[1] expected_version: version that was read
-- Reply: "removed"; "gone" if there is no record; "changed" if the record has another version now.

local record_key = KEYS[1]
local expected_version = ARGV[1]

local version = redis.call("HGET", record_key, "n")
if not version then return "gone" end
if version ~= expected_version then return "changed" end
redis.call("UNLINK", record_key)
return "removed"
`,
};

export const replaceSession = {
  name: "replaceSession",
  keys: ["recordKey"] as const,
  args: ["expectedVersion", "sealed", "lifeMs"] as const,
  lua: `-- Replaces the record of a session if its version is still the one that was read, and increments the version.
--
-- A session that has ended has no record, so it is not created again.
--
-- KEYS[1] record_key: hash
-- ARGV[1] expected_version: version that was read
-- ARGV[2] sealed: the sealed record
-- ARGV[3] life_ms: lifetime of the record
-- Reply: 1 if the record was replaced, otherwise 0.

local record_key = KEYS[1]
local expected_version = ARGV[1]
local sealed = ARGV[2]
local life_ms = ARGV[3]

if redis.call("HGET", record_key, "n") ~= expected_version then return 0 end
redis.call("HSET", record_key, "v", sealed, "n", expected_version + 1)
redis.call("PEXPIRE", record_key, life_ms)
return 1
`,
};

export const touchSession = {
  name: "touchSession",
  keys: ["recordKey"] as const,
  args: ["nowMs", "lifeMs"] as const,
  lua: `-- Notes the use of a session and prolongs its record. A session that has ended is not created again.
--
-- KEYS[1] record_key: hash
-- ARGV[1] now_ms: time of the use (ms since the epoch)
-- ARGV[2] life_ms: lifetime of the record
-- Reply: 1 if there is a record, otherwise 0.

local record_key = KEYS[1]
local now_ms = ARGV[1]
local life_ms = ARGV[2]

if redis.call("EXISTS", record_key) == 0 then return 0 end
redis.call("HSET", record_key, "s", now_ms)
return redis.call("PEXPIRE", record_key, life_ms)
`,
};
