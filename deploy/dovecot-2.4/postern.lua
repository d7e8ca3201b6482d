-- Calls Postern's JSON endpoint. This file contains a password: chown root:dovecot, chmod 640.
local endpoint = "http://127.0.0.1:9080/api/v1/auth/json"

-- The credentials from postern.yaml, encoded by `printf 'dovecot:PASSWORD' | base64`.
local authorization = "Basic ZG92ZWNvdDpjaGFuZ2UtdGhpcy1wYXNzd29yZA=="

-- Attribute of the account → field of Dovecot's userdb. Postern's configuration must release these attributes.
local userdb_fields = { homeDirectory = "home", quota = "quota_rule" }

local json = require "cjson"

-- Longer than Postern's own deadline, so that its temporary failures arrive here.
local client = dovecot.http.client {
  request_timeout = "15s",
  connect_timeout = "2s",
  max_idle_time = "30s",
  request_max_attempts = 2,
}

local function ask(query, fields)
  local request = client:request { url = endpoint .. query, method = "POST" }
  request:add_header("Authorization", authorization)
  request:add_header("Content-Type", "application/json")
  request:add_header("Accept", "application/json")
  request:set_payload(json.encode(fields))
  return request:submit()
end

-- The fields of a login. For requests without a client connection (doveadm), Dovecot has empty strings and port 0, or no value.
local function login_of(request, password)
  local known = {
    username = request.user,
    password = password,
    protocol = request.protocol,
    method = string.lower(request.mechanism or ""),
    client_ip = request.remote_ip,
    client_port = request.remote_port,
    client_id = request.client_id,
    local_ip = request.local_ip,
    local_port = request.local_port,
    external_session_id = request.session,
    ssl = request.secured,
  }
  local login = {}
  for name, value in pairs(known) do
    local text = tostring(value)
    local is_known = text ~= "" and not (text == "0" and string.find(name, "_port"))
    if is_known or name == "password" then login[name] = text end
  end
  return login
end

-- All other answers are temporary failures: wrong credentials of Dovecot itself, a rate limit, Postern is unreachable.
local function log_failure(request, response)
  request:log_error("postern: " .. response:status() .. " " .. response:reason())
end

function auth_password_verify(request, password)
  local response = ask("", login_of(request, password))
  if response:status() == 200 then
    return dovecot.auth.PASSDB_RESULT_OK, { user = response:header("Auth-User") }
  elseif response:status() == 403 then
    return dovecot.auth.PASSDB_RESULT_PASSWORD_MISMATCH, nil
  end
  log_failure(request, response)
  return dovecot.auth.PASSDB_RESULT_INTERNAL_FAILURE, nil
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
    return dovecot.auth.USERDB_RESULT_USER_UNKNOWN, nil
  end
  log_failure(request, response)
  return dovecot.auth.USERDB_RESULT_INTERNAL_FAILURE, nil
end

-- An incomplete list must not be used: after an error, Dovecot reports that the iteration failed.
function auth_userdb_iterate()
  local response = ask("?mode=list-accounts", {})
  if response:status() ~= 200 then error("postern: " .. response:status() .. " " .. response:reason()) end
  return json.decode(response:payload())
end
