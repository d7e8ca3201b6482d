-- wrk script: POSTs the bodies of a file, one a line, in turn.
-- Usage: wrk -s post.lua URL -- BODIES_FILE
local requests, count, nth = {}, 0, 0

function init(args)
  local headers = {
    ["Content-Type"] = "application/json",
    -- backchannel:bench-backchannel-secret
    ["Authorization"] = "Basic YmFja2NoYW5uZWw6YmVuY2gtYmFja2NoYW5uZWwtc2VjcmV0",
  }
  for body in io.lines(args[1]) do
    count = count + 1
    requests[count] = wrk.format("POST", nil, headers, body)
  end
end

function request()
  nth = nth % count + 1
  return requests[nth]
end
