-- Exchanges the current refresh token of a family for the next one.
--
-- A token that is not the current one was used before, so it may have been stolen. The family then ends, and
-- its access tokens are denied.
--
-- KEYS[1] family_key: the current token of the family
-- KEYS[2] denied_key: the family's entry in the denylist, with the same hash tag
-- ARGV[1] presented: the token that the client sent
-- ARGV[2] next_token: the token that replaces it
-- ARGV[3] life_seconds: lifetime of the next token
-- ARGV[4] denied_seconds: time for which a family that has ended is denied
-- Reply: "redeemed"; "unknown" if there is no such family; "reused" if the presented token is not the current one.

local family_key = KEYS[1]
local denied_key = KEYS[2]
local presented = ARGV[1]
local next_token = ARGV[2]
local life_seconds = ARGV[3]
local denied_seconds = ARGV[4]

local current = redis.call("GET", family_key)
if not current then return "unknown" end
if current ~= presented then
  redis.call("DEL", family_key)
  redis.call("SET", denied_key, "1", "EX", denied_seconds)
  return "reused"
end
redis.call("SET", family_key, next_token, "EX", life_seconds)
return "redeemed"
