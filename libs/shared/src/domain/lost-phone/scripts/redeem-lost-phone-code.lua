-- Redeems a lost-phone code for one sign-in. Too many wrong codes end it.
--
-- KEYS[1] code_key: hash
-- ARGV[1] digest: of the typed code
-- ARGV[2] flow: digest of the sign-in, whose form a browser may send twice
-- ARGV[3] max_tries
-- Reply: redeemed, repeated if the same sign-in redeemed it before, or wrong.

local code_key = KEYS[1]
local digest = ARGV[1]
local flow = ARGV[2]
local max_tries = tonumber(ARGV[3])

local right, by = unpack(redis.call("HMGET", code_key, "digest", "flow"))
if not right then return "wrong" end
if by then
  if right == digest and by == flow then return "repeated" end
  return "wrong"
end
if right == digest then
  redis.call("HSET", code_key, "flow", flow)
  return "redeemed"
end
if redis.call("HINCRBY", code_key, "tries", 1) >= max_tries then redis.call("DEL", code_key) end
return "wrong"
