-- Reads lists of records of one shard.
--
-- KEYS[1] index_key: of the shard
-- ARGV, in this order: what the records begin with, or nothing for all of them, then the lists, all in the slot of the index
-- Reply: for each list its records, newest first

local lists = {}
local beginning = ARGV[1]
for i = 2, #ARGV do
  local records = redis.call("LRANGE", ARGV[i], 0, -1)
  if beginning ~= "" then
    local meant = {}
    for _, record in ipairs(records) do
      if string.sub(record, 1, #beginning) == beginning then meant[#meant + 1] = record end
    end
    records = meant
  end
  lists[i - 1] = records
end
return lists
