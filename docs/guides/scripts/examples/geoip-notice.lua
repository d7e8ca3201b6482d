-- Says in the log, and in an attribute, when a user signs in from another country than the last time.
-- The site's own service answers a country code: allowed_hosts names it. While it is away nobody is kept out.
local http, cache, log = require("http"), require("cache"), require("log")
local one_day = 24 * 3600

function subject(request)
  local decision = request.decision
  if decision.outcome ~= "ok" or not request.client_ip then return nil end
  local ok, answer = pcall(http.request, { url = "http://geoip.example.test/country/" .. request.client_ip })
  if not ok or answer.status ~= 200 then
    log.warn("no country", { reason = not ok and answer or answer.status })
    return nil
  end
  local key = "country:" .. decision.account
  local before = cache.get(key)
  cache.set(key, answer.body, one_day)
  if before and before ~= answer.body then
    log.warn("another country than the last time", { before = before, now = answer.body })
    return { attributes = { countryChanged = answer.body } }
  end
end
