-- Asks Postern's JSON endpoint. This file holds a password: chown root:dovecot, chmod 640.
local endpoint = "http://127.0.0.1:9080/api/v1/auth/json"

-- The backchannel credentials, as `printf 'dovecot:PASSWORD' | base64` makes them.
local authorization = "Basic ZG92ZWNvdDpjaGFuZ2UtdGhpcy1wYXNzd29yZA=="

-- Attribute of the directory → field of Dovecot's userdb. Postern answers with the attributes that its configuration releases.
local userdb_fields = { homeDirectory = "home", quota = "quota_rule" }

local json = require "cjson"

-- Longer than Postern takes for an answer, so that its "nobody could decide" arrives.
local client = dovecot.http.client {
  request_timeout_msecs = 15000,
  connect_timeout_msecs = 2000,
  max_idle_time_msecs = 30000,
  max_attempts = 2,
}

local function ask(query, fields)
  local request = client:request { url = endpoint .. query, method = "POST" }
  request:add_header("Authorization", authorization)
  request:add_header("Content-Type", "application/json")
  request:add_header("Accept", "application/json")
  request:set_payload(json.encode(fields))
  return request:submit()
end

-- What Dovecot knows of a login. Of one without a connection, as doveadm's, it has empty texts and ports of 0.
local function login_of(request, password)
  local known = {
    username = request.user,
    password = password,
    protocol = request.service,
    method = string.lower(request.mech),
    client_ip = request.rip,
    client_port = request.rport,
    client_id = request.client_id,
    local_ip = request.lip,
    local_port = request.lport,
    external_session_id = request.session,
    ssl = request.secured,
  }
  local login = {}
  for name, value in pairs(known) do
    local text = tostring(value)
    local is_told = text ~= "" and not (text == "0" and string.find(name, "_port"))
    if is_told or name == "password" then login[name] = text end
  end
  return login
end

-- Anything but a yes and a no is a temporary failure: a wrong credential of Dovecot's own, a limit, nobody there.
local function undecided(request, response)
  request:log_error("postern: " .. response:status() .. " " .. response:reason())
end

function auth_password_verify(request, password)
  local response = ask("", login_of(request, password))
  if response:status() == 200 then
    return dovecot.auth.PASSDB_RESULT_OK, { user = response:header("Auth-User") }
  elseif response:status() == 403 then
    return dovecot.auth.PASSDB_RESULT_PASSWORD_MISMATCH, {}
  end
  undecided(request, response)
  return dovecot.auth.PASSDB_RESULT_INTERNAL_FAILURE, {}
end

function auth_userdb_lookup(request)
  local response = ask("?mode=no-auth", login_of(request, nil))
  if response:status() == 200 then
    local fields = { user = response:header("Auth-User") }
    for attribute, values in pairs(json.decode(response:payload()).attributes) do
      local field = userdb_fields[attribute]
      if field then fields[field] = values[1] end
    end
    return dovecot.auth.USERDB_RESULT_OK, fields
  elseif response:status() == 403 then
    return dovecot.auth.USERDB_RESULT_USER_UNKNOWN, {}
  end
  undecided(request, response)
  return dovecot.auth.USERDB_RESULT_INTERNAL_FAILURE, {}
end

-- A list that is not whole is none: Dovecot takes an error for "iteration failed".
function auth_userdb_iterate()
  local response = ask("?mode=list-accounts", {})
  if response:status() ~= 200 then error("postern: " .. response:status() .. " " .. response:reason()) end
  return json.decode(response:payload())
end
