-- wrk script: sends the requests of a file in turn, one per line: JSON, CBOR in hex, headers separated by tabs, or forms.
-- Usage: wrk -s post.lua URL -- REQUESTS_FILE json|cbor|header|form AUTHORIZATION
-- Authorization "-" sends no header, and "@FILE" uses the lines of the file in turn. The mark in a request is replaced by a new number each time.
local requests, count, nth = {}, 0, 0
local mark = "@serial-----@"
local serial = os.time() % 10000 * 1000000000

local read = {}

function read.json(line)
  return { ["Content-Type"] = "application/json" }, line
end

function read.form(line)
  return { ["Content-Type"] = "application/x-www-form-urlencoded" }, line
end

function read.cbor(line)
  local bytes = line:gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end)
  return { ["Content-Type"] = "application/cbor" }, bytes
end

function read.header(line)
  local headers = {}
  for name, value in line:gmatch("([^\t:]+): ([^\t]*)") do headers[name] = value end
  return headers, ""
end

local function lines(file)
  local found = {}
  for line in io.lines(file) do found[#found + 1] = line end
  return found
end

local function authorizations(text)
  if text == "-" then return {} end
  return text:sub(1, 1) == "@" and lines(text:sub(2)) or { text }
end

function init(args)
  local bodies, callers = lines(args[1]), authorizations(args[3])
  count = math.max(#bodies, #callers)
  for number = 1, count do
    local headers, body = read[args[2]](bodies[(number - 1) % #bodies + 1])
    if #callers > 0 then headers["Authorization"] = callers[(number - 1) % #callers + 1] end
    local text = wrk.format("POST", nil, headers, body)
    local first, last = text:find(mark, 1, true)
    requests[number] = first and { text:sub(1, first - 1), text:sub(last + 1) } or text
  end
end

function request()
  nth = nth % count + 1
  local text = requests[nth]
  if type(text) == "string" then return text end
  serial = serial + 1
  return text[1] .. string.format("%013.0f", serial) .. text[2]
end
