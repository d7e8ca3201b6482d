-- Rejects a correct password that is in a local list of leaked passwords: the table pwned(sha1) in the database of
-- auth.backends.sql.default, with digests in upper-case hexadecimal.
local sql, hash, i18n = require("sql"), require("hash"), require("i18n")

function subject(request)
  if request.decision.outcome ~= "ok" or not request.password then return nil end
  local sha1 = hash.sha1(request.password):upper()
  local rows = sql.query("default", "SELECT 1 AS found FROM pwned WHERE sha1 = :sha1", { sha1 = sha1 })
  if #rows == 0 then return nil end
  local text = "This password was leaked elsewhere, choose another"
  return { deny = true, message = i18n.text("pwned", request.accept_language, text) }
end
