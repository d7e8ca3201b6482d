-- Reports a banned client to a chat room or a firewall. Configure it as an action of type brute_force.
local http, json, hash = require("http"), require("json"), require("hash")
local key = "a-secret-that-the-receiver-knows"

function action(request)
  local body = json.encode({ client_ip = request.client_ip, rule = request.decision.rule, protocol = request.protocol })
  local answer = http.request({
    method = "POST",
    url = "https://hooks.example.test/ban",
    headers = { ["content-type"] = "application/json", ["x-signature"] = hash.hmac_sha256(key, body) },
    body = body,
  })
  if answer.status >= 300 then error("the receiver returned status " .. answer.status) end
end
