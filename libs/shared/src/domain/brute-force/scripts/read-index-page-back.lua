-- Reads a page of one shard of an index, from the highest score and name to the lowest.
--
-- A page continues before a place: a score and a member, which may be gone.
-- Names are compared by bytes, as Redis sorts them; Lua's "<" depends on the locale.
--
-- KEYS[1] shard_key: sorted set
-- ARGV[1] before_score: score of the place; empty if there is no place
-- ARGV[2] before_member: member of the place; empty if there is no place
-- ARGV[3] least_score: members below it are not read
-- ARGV[4] max_members: size of the page
-- Reply: a flat list of member and score.

local shard_key = KEYS[1]
local before_score = ARGV[1]
local before_member = ARGV[2]
local least_score = ARGV[3]
local max_members = tonumber(ARGV[4])

local function is_before(left, right)
  for index = 1, math.min(#left, #right) do
    local left_byte, right_byte = string.byte(left, index), string.byte(right, index)
    if left_byte ~= right_byte then return left_byte < right_byte end
  end
  return #left < #right
end

-- Number of members before the place.
local function end_rank()
  if before_score == "" then return redis.call("ZCARD", shard_key) end
  local low = redis.call("ZCOUNT", shard_key, "-inf", "(" .. before_score)
  local high = redis.call("ZCOUNT", shard_key, "-inf", before_score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_before(redis.call("ZRANGE", shard_key, middle, middle)[1], before_member) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

local last = end_rank()
local first = math.max(last - max_members, redis.call("ZCOUNT", shard_key, "-inf", "(" .. least_score))
if first >= last then return {} end
local found = redis.call("ZRANGE", shard_key, first, last - 1, "WITHSCORES")
local reply = {}
for index = #found - 1, 1, -2 do
  reply[#reply + 1] = found[index]
  reply[#reply + 1] = found[index + 1]
end
return reply
