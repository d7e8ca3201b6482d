// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.

export const indexBan = {
  name: "indexBan",
  keys: ["shardKey"] as const,
  args: ["endSeconds", "banKey", "maxBans"] as const,
  lua: `-- Lists a ban in one shard of the ban index, and removes bans that have expired or are too many.
--
-- The shard expires together with its last ban.
--
-- KEYS[1] shard_key: sorted set by the end of the ban (s since the epoch)
-- ARGV[1] end_seconds: end of the ban (s since the epoch)
-- ARGV[2] ban_key: the key of the ban, which is in another slot
-- ARGV[3] max_bans: bans that the shard may list
-- Reply: 1.

local shard_key = KEYS[1]
local end_seconds = ARGV[1]
local ban_key = ARGV[2]
local max_bans = tonumber(ARGV[3])

local now_seconds = tonumber(redis.call("TIME")[1])
redis.call("ZREMRANGEBYSCORE", shard_key, "-inf", now_seconds)
redis.call("ZADD", shard_key, "GT", end_seconds, ban_key)
local excess = redis.call("ZCARD", shard_key) - max_bans
if excess > 0 then redis.call("ZREMRANGEBYRANK", shard_key, 0, excess - 1) end
local last_end = redis.call("ZRANGE", shard_key, -1, -1, "WITHSCORES")[2]
if last_end then redis.call("EXPIREAT", shard_key, last_end) end
return 1
`,
};

export const readIndexPageBack = {
  name: "readIndexPageBack",
  keys: ["shardKey"] as const,
  args: ["beforeScore", "beforeMember", "leastScore", "maxMembers"] as const,
  lua: `-- Reads a page of one shard of an index, from the highest score and name to the lowest.
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
`,
};

export const readIndexPage = {
  name: "readIndexPage",
  keys: ["shardKey"] as const,
  args: ["afterScore", "afterMember", "maxMembers"] as const,
  lua: `-- Reads a page of one shard of an index, in the order of score and name.
--
-- A page continues after a place: a score and a member. Members that are added or removed between two pages therefore
-- move nothing. If the member is gone, its place is found by binary search among the members of its score, because
-- thousands may have the same score. Names are compared by bytes, as Redis sorts them; Lua's "<" depends on the locale.
--
-- KEYS[1] shard_key: sorted set
-- ARGV[1] after_score: score of the place, or the lowest score if there is no place
-- ARGV[2] after_member: member of the place; empty if there is no place
-- ARGV[3] max_members: size of the page
-- Reply: a flat list of member and score.

local shard_key = KEYS[1]
local after_score = ARGV[1]
local after_member = ARGV[2]
local max_members = tonumber(ARGV[3])

local function is_after(left, right)
  for index = 1, math.min(#left, #right) do
    local left_byte, right_byte = string.byte(left, index), string.byte(right, index)
    if left_byte ~= right_byte then return left_byte > right_byte end
  end
  return #left > #right
end

local function first_rank()
  if after_member == "" then return redis.call("ZCOUNT", shard_key, "-inf", "(" .. after_score) end
  local rank = redis.call("ZRANK", shard_key, after_member)
  if rank then return rank + 1 end
  local low = redis.call("ZCOUNT", shard_key, "-inf", "(" .. after_score)
  local high = redis.call("ZCOUNT", shard_key, "-inf", after_score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_after(redis.call("ZRANGE", shard_key, middle, middle)[1], after_member) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local first = first_rank()
return redis.call("ZRANGE", shard_key, first, first + max_members - 1, "WITHSCORES")
`,
};
