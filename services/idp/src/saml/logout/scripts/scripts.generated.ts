// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const countInLogout = {
  name: "countInLogout",
  keys: ["transactionKey"] as const,
  args: ["field"] as const,
  lua: `-- Counts an event of a logout transaction. A transaction that has expired is not created again.
--
-- KEYS[1] transaction_key: hash
-- ARGV[1] field: field of the count
-- Reply: the count, including this event; 0 if the transaction has expired.

local transaction_key = KEYS[1]
local field = ARGV[1]

if redis.call("EXISTS", transaction_key) == 0 then return 0 end
return redis.call("HINCRBY", transaction_key, field, 1)
`,
};

export const noteLogoutResult = {
  name: "noteLogoutResult",
  keys: ["transactionKey"] as const,
  args: ["field", "result"] as const,
  lua: `-- Notes the result of one service provider in a logout transaction. A transaction that has expired is not created again,
-- and "done" is never replaced.
--
-- KEYS[1] transaction_key: hash
-- ARGV[1] field: field of the service provider
-- ARGV[2] result: "done" or "refused"
-- Reply: 1 if the field is new, otherwise 0.

local transaction_key = KEYS[1]
local field = ARGV[1]
local result = ARGV[2]

if redis.call("EXISTS", transaction_key) == 0 then return 0 end
if result == "done" then return redis.call("HSET", transaction_key, field, result) end
return redis.call("HSETNX", transaction_key, field, result)
`,
};
