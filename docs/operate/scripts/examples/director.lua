-- Directs each account to the same mail server every time, for the proxy-style endpoint.
local hash = require("hash")
local servers = {
  imap = { { address = "192.0.2.11", port = 1143 }, { address = "192.0.2.12", port = 1143 } },
  pop3 = { { address = "192.0.2.11", port = 1110 }, { address = "192.0.2.12", port = 1110 } },
}

function subject(request)
  local choices = servers[request.protocol]
  if request.decision.outcome ~= "ok" or not choices then return nil end
  local number = tonumber(hash.sha256(request.decision.account):sub(1, 8), 16)
  return { upstream = choices[number % #choices + 1] }
end
