-- Users in a home-grown schema: people(login, secret, gone) and mailboxes(login, address).
-- auth.backends.order: [lua], and auth.backends.sql.default.file names the database.
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
  if not password.verify(person.secret, request.password) then return { result = "wrong_password" } end
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
