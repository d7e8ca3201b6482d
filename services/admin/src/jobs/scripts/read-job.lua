-- Reads the record of a job in one round trip, because operators poll it.
--
-- BullMQ removes old records only when other jobs finish, so the script itself hides a record that has expired.
--
-- KEYS[1] job_key: BullMQ's hash of the job
-- KEYS[2] lock_key: exists while a worker runs the job
-- KEYS[3] wait_key: BullMQ's list of waiting jobs, of which the last is the next to run
-- KEYS[4] delayed_key: BullMQ's sorted set of jobs that failed and will run again, by 4096 times the time (ms since the epoch)
-- ARGV[1] retention_ms: time for which a finished job is reported
-- ARGV[2] job_id
-- Reply: name and value of each field, or nil if the job is unknown or its record has expired.
--   name, createdAt, startedAt, finishedAt (ms since the epoch), result, failure: text, or nil if absent
--   isLocked: 1 or 0
--   of a job that waits: ahead, jobs that run before it; nextRun, ms since the epoch; runs, failed so far; nil if absent

local job_key = KEYS[1]
local lock_key = KEYS[2]
local wait_key = KEYS[3]
local delayed_key = KEYS[4]
local retention_ms = tonumber(ARGV[1])
local job_id = ARGV[2]

local fields = redis.call(
  "HMGET", job_key, "name", "timestamp", "processedOn", "finishedOn", "returnvalue", "failedReason"
)
local name, created_at, started_at, finished_at, result, failure = unpack(fields, 1, 6)
if not name then return false end
if finished_at then
  local now_ms = tonumber(redis.call("TIME")[1]) * 1000
  if now_ms - tonumber(finished_at) > retention_ms then return false end
end
local is_locked = redis.call("EXISTS", lock_key)
local ahead, next_run, runs
if not finished_at and is_locked == 0 then
  local position = redis.call("LPOS", wait_key, job_id)
  if position then ahead = redis.call("LLEN", wait_key) - 1 - position end
  local score = redis.call("ZSCORE", delayed_key, job_id)
  if score then next_run = string.format("%.0f", math.floor(tonumber(score) / 4096)) end
  runs = redis.call("HGET", job_key, "atm")
end
return {
  "name", name,
  "createdAt", created_at,
  "startedAt", started_at,
  "finishedAt", finished_at,
  "result", result,
  "failure", failure,
  "isLocked", is_locked,
  "ahead", ahead or false,
  "nextRun", next_run or false,
  "runs", runs or false,
}
