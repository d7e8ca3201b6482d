// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const readJob = {
  name: "readJob",
  keys: ["jobKey", "lockKey"] as const,
  args: ["retentionMs"] as const,
  lua: `-- Reads the record of a job in one round trip, because operators poll it.
--
-- BullMQ removes old records only when other jobs finish, so the script itself hides a record that has expired.
--
-- KEYS[1] job_key: BullMQ's hash of the job
-- KEYS[2] lock_key: exists while a worker runs the job
-- ARGV[1] retention_ms: time for which a finished job is reported
-- Reply: name and value of each field, or nil if the job is unknown or its record has expired.
--   name, createdAt, startedAt, finishedAt (ms since the epoch), result, failure: text, or nil if absent
--   isLocked: 1 or 0

local job_key = KEYS[1]
local lock_key = KEYS[2]
local retention_ms = tonumber(ARGV[1])

local fields = redis.call(
  "HMGET", job_key, "name", "timestamp", "processedOn", "finishedOn", "returnvalue", "failedReason"
)
local name, created_at, started_at, finished_at, result, failure = unpack(fields, 1, 6)
if not name then return false end
if finished_at then
  local now_ms = tonumber(redis.call("TIME")[1]) * 1000
  if now_ms - tonumber(finished_at) > retention_ms then return false end
end
return {
  "name", name,
  "createdAt", created_at,
  "startedAt", started_at,
  "finishedAt", finished_at,
  "result", result,
  "failure", failure,
  "isLocked", redis.call("EXISTS", lock_key),
}
`,
};
