-- Reports in the log and in an attribute that a user signs in from a different country than before.
-- The country code comes from a service of your own, listed in allowed_hosts. While it is unavailable, logins are not affected.
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
    log.warn("sign-in from a different country", { before = before, now = answer.body })
    return { attributes = { countryChanged = answer.body } }
  end
end
