-- A backend for a schema of your own (sql-users.sql). Set auth.backends.order: [lua], and the database in auth.backends.sql.default.
local sql, password = require("sql"), require("password")

local people = "SELECT login, secret, gone FROM people WHERE login = :login"
local mailboxes = "SELECT address FROM mailboxes WHERE login = :login ORDER BY address"

local function find(username)
  return sql.query("default", people, { login = username:lower() })[1]
end

local function account(person)
  local addresses = {}
  for _, row in ipairs(sql.query("default", mailboxes, { login = person.login })) do
    addresses[#addresses + 1] = row.address
  end
  return { result = "ok", account = person.login, account_field = "login", attributes = { mail = addresses } }
end

function verify_password(request)
  local person = find(request.username)
  if not person then return { result = "unknown_user" } end
  local is_right = password.verify(person.secret, request.password)
  if is_right == nil then return { result = "password_unverifiable" } end
  if not is_right then return { result = "wrong_password" } end
  if person.gone == 1 then return { result = "account_disabled" } end
  return account(person)
end

function lookup(request)
  local person = find(request.username)
  if not person or person.gone == 1 then return { result = "unknown_user" } end
  return account(person)
end

function list_accounts(request)
  local after = request.position or ""
  local page = "SELECT login FROM people WHERE gone = 0 AND login > :after ORDER BY login LIMIT 500"
  local accounts = {}
  for _, row in ipairs(sql.query("default", page, { after = after })) do accounts[#accounts + 1] = row.login end
  return { accounts = accounts, next = #accounts == 500 and accounts[500] or nil }
end

-- Second factors and app passwords, used if auth.backends.lua.backend.default.mfa.enabled is true.

local function column(statement, login)
  local values = {}
  for _, row in ipairs(sql.query("default", statement, { login = login })) do values[#values + 1] = row.value end
  return values
end

-- The database reports the number of matched rows: of several simultaneous calls, exactly one changes a row.
local function change(statement, parameters)
  return sql.execute("default", statement, parameters) == 1
end

local function all(statements)
  sql.transaction("default", statements)
end

function mfa_account(request)
  local person = find(request.username)
  if not person then return { result = "unknown_user" } end
  local kinds = { "totp", "recovery_codes", "webauthn", "app_passwords" }
  return { result = "ok", account = person.login, disabled = person.gone == 1, supports = kinds }
end

function mfa_read(request)
  return {
    totp_secret = column("SELECT secret AS value FROM otp WHERE login = :login", request.account)[1],
    recovery_codes = column("SELECT CAST(code AS CHAR) AS value FROM rescue_codes WHERE login = :login", request.account),
    webauthn_credentials = column(
      "SELECT CAST(credential AS CHAR) AS value FROM passkeys WHERE login = :login ORDER BY id", request.account),
  }
end

function mfa_replace_totp(request)
  local statements = { { statement = "DELETE FROM otp WHERE login = :login", parameters = { login = request.account } } }
  if request.secret then
    statements[2] = {
      statement = "INSERT INTO otp (login, secret) VALUES (:login, :secret)",
      parameters = { login = request.account, secret = request.secret },
    }
  end
  all(statements)
end

function mfa_replace_recovery_codes(request)
  local clear = "DELETE FROM rescue_codes WHERE login = :login"
  local statements = { { statement = clear, parameters = { login = request.account } } }
  for _, code in ipairs(request.codes) do
    statements[#statements + 1] = {
      statement = "INSERT INTO rescue_codes (login, code) VALUES (:login, :code)",
      parameters = { login = request.account, code = code },
    }
  end
  all(statements)
end

function mfa_remove_recovery_code(request)
  return change("DELETE FROM rescue_codes WHERE login = :login AND code = :code",
    { login = request.account, code = request.code })
end

function mfa_add_webauthn(request)
  change("INSERT INTO passkeys (login, credential) VALUES (:login, :credential)",
    { login = request.account, credential = request.credential })
end

function mfa_replace_webauthn(request)
  return change("UPDATE passkeys SET credential = :credential WHERE login = :login AND credential = :old",
    { login = request.account, credential = request.credential, old = request.old })
end

function mfa_find_webauthn(request)
  local statement = "SELECT login FROM passkeys WHERE credential LIKE :pattern"
  local holders = {}
  for _, id in ipairs(request.spellings) do
    for _, row in ipairs(sql.query("default", statement, { pattern = '{"id":"' .. id .. "%" })) do
      holders[#holders + 1] = row.login
    end
  end
  return holders
end

function mfa_remove_webauthn(request)
  return change("DELETE FROM passkeys WHERE login = :login AND credential = :credential",
    { login = request.account, credential = request.credential })
end

function mfa_list_app_passwords(request)
  local listed = {}
  local statement = [[SELECT id, digest, label, protocols, created_at, last_used_at FROM device_passwords
    WHERE login = :login ORDER BY created_at, id]]
  for _, row in ipairs(sql.query("default", statement, { login = request.account })) do
    local protocols = {}
    for protocol in row.protocols:gmatch("%S+") do protocols[#protocols + 1] = protocol end
    row.protocols = protocols
    -- A database may return a 64-bit number as text.
    row.created_at, row.last_used_at = tonumber(row.created_at), tonumber(row.last_used_at)
    listed[#listed + 1] = row
  end
  return listed
end

function mfa_add_app_password(request)
  change([[INSERT INTO device_passwords (login, id, digest, label, protocols, created_at)
    VALUES (:login, :id, :digest, :label, :protocols, :created_at)]], {
    login = request.account, id = request.id, digest = request.digest, label = request.label,
    protocols = table.concat(request.protocols, " "), created_at = request.created_at,
  })
end

function mfa_remove_app_password(request)
  return change("DELETE FROM device_passwords WHERE login = :login AND id = :id",
    { login = request.account, id = request.id })
end

function mfa_touch_app_password(request)
  change("UPDATE device_passwords SET last_used_at = :at WHERE login = :login AND id = :id",
    { login = request.account, id = request.id, at = request.at })
end
