/** The site's scripts, by file; TARGET is a web server, HASH a stored password. */
export const stageScripts = {
  "environment.lua": `
    local cache = require("cache")
    function environment(request)
      if request.client_ip == "198.51.100.1" then return { deny = true, message = "Not from there" } end
      if request.username == "throws" then error("no") end
      if request.username == "loops" then while true do end end
      if request.username == "hoards" then return string.rep("x", 1e9) end
      if request.username == "wrong" then return { denied = true } end
      if request.username == "counts" then return { deny = true, message = tostring(cache.increment("counts", 60)) } end
    end`,
  "subject.lua": `
    function subject(request)
      local decision = request.decision
      if decision.outcome ~= "ok" then return nil end
      if request.client_ip == "198.51.100.2" then return { deny = true, message = "Moved" } end
      return { attributes = { shard = "s1", mail = "overwritten@example.test" }, upstream = { address = "192.0.2.77", port = 1993 } }
    end`,
  "action.lua": `
    local http, json = require("http"), require("json")
    function action(request)
      http.request({ method = "POST", url = "http://TARGET/seen", body = json.encode({ user = request.username, outcome = request.decision.outcome, password = request.password }) })
    end`,
  "flush.lua": `
    function cache_flush(request)
      if request.user == "fails" then error("no") end
      if request.user == "crm-77" then return { accounts = { "alice@example.test" }, keys = { "counts", "never-set" } } end
    end`,
  "start.lua": `local log = require("log") function start() log.info("the site's scripts begin") end`,
  "backend.lua": `
    local password = require("password")
    local users = { ["lua@example.test"] = "HASH" }
    local function find(request)
      local stored = users[request.username]
      if not stored then return nil end
      return stored, { result = "ok", account = request.username, account_field = "username", attributes = { uid = "77" } }
    end
    function verify_password(request)
      local stored, found = find(request)
      if not stored then return { result = "unknown_user" } end
      if not password.verify(stored, request.password) then return { result = "wrong_password" } end
      return found
    end
    function lookup(request)
      local _, found = find(request)
      return found or { result = "unknown_user" }
    end
    function list_accounts() return { accounts = { "lua@example.test" } } end`,
  "people.lua": `
    local sql, ldap = require("sql"), require("ldap")
    function hook(request)
      local works, why = pcall(ldap.search, "default", { base = "dc=x", filter = "(mail=a)", attributes = { "mail" } })
      local rows = sql.query("default", "SELECT :name AS name", { name = request.query.name })
      return { name = rows[1].name, ldap = why }
    end`,
  "hook.lua": `
    function hook(request)
      if request.query.fail then error("asked to") end
      if request.method == "POST" then
        return response({ status = 201, content_type = "text/plain", headers = { ["x-seen"] = request.location }, body = request.body })
      end
      return { hello = request.query.name or "world", caller = request.caller.method, authorization = request.headers.authorization }
    end`,
};
