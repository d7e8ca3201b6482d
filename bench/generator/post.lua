-- wrk script: POSTs the requests of a file, one a line, in turn: JSON, CBOR in hex, or headers with tabs between them.
-- Usage: wrk -s post.lua URL -- REQUESTS_FILE json|cbor|header AUTHORIZATION
-- An authorization of "-" sends none.
local requests, count, nth = {}, 0, 0

local read = {}

function read.json(line)
  return { ["Content-Type"] = "application/json" }, line
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

function init(args)
  for line in io.lines(args[1]) do
    local headers, body = read[args[2]](line)
    if args[3] ~= "-" then headers["Authorization"] = args[3] end
    count = count + 1
    requests[count] = wrk.format("POST", nil, headers, body)
  end
end

function request()
  nth = nth % count + 1
  return requests[nth]
end
