import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeDovecot } from "./check-dovecot.ts";
import { readDoveconf } from "./read-doveconf.ts";

const posternOf23 = "passdb {\n  args = file=/etc/dovecot/postern.lua blocking=yes\n  driver = lua\n}\n";
const posternOf24 = "passdb lua {\n  lua_file = /etc/dovecot/postern.lua\n  use_worker = yes\n}\n";
const allNames = "auth_username_chars = \n";

const foundIn = (text: string) => judgeDovecot(readDoveconf(text)).map(({ severity, found }) => `${severity} ${found}`);

test.each([posternOf23, posternOf24])("a Dovecot that asks Postern about every password is no finding", (passdb) => {
  expect(foundIn(allNames + passdb)).toEqual([]);
  const tokens = "passdb {\n  driver = oauth2\n  mechanisms = oauthbearer xoauth2\n}\n";
  const denied = "passdb {\n  args = /etc/dovecot/deny\n  deny = yes\n  driver = passwd-file\n}\n";
  expect(foundIn(allNames + tokens + denied + passdb)).toEqual([]);
});

test.each([
  ["before", `passdb {\n  driver = pam\n}\n${posternOf23}`, "pam"],
  ["after", `${posternOf23}passdb {\n  args = /etc/dovecot/ldap.conf\n  driver = ldap\n}\n`, "ldap"],
  [
    "for one protocol",
    `${posternOf23}protocol imap {\n  passdb {\n    args = /etc/users\n    driver = passwd-file\n  }\n}\n`,
    "passwd-file",
  ],
  ["of 2.4", `passdb sql {\n  query = SELECT\n}\n${posternOf24}`, "sql"],
  [
    "with a script of the site",
    `${posternOf23}passdb {\n  args = file=/etc/dovecot/own.lua\n  driver = lua\n}\n`,
    "lua",
  ],
])("a passdb %s that accepts passwords without Postern is a problem", (_place, passdbs, driver) => {
  expect(foundIn(allNames + passdbs)).toEqual([
    expect.stringMatching(new RegExp(`^problem passdb ${driver} accepts passwords without Postern`, "u")),
  ]);
});

test("master users, a cache of passwords and a list of characters are findings", () => {
  const master = "passdb {\n  args = /etc/dovecot/master\n  driver = passwd-file\n  master = yes\n}\n";
  expect(foundIn(`auth_cache_size = 10 M\n${master}${posternOf23}`)).toEqual([
    expect.stringMatching(/^warning master users of passdb passwd-file/u),
    expect.stringMatching(/^problem auth_cache_size = 10 M/u),
    expect.stringMatching(/^warning auth_username_chars/u),
  ]);
});

test("a Dovecot that does not ask Postern at all is a problem, unless Postern is its policy server", () => {
  expect(foundIn("passdb {\n  driver = pam\n}\n")).toEqual([expect.stringMatching(/^problem no passdb asks Postern/u)]);
  const policy = "auth_policy_server_url = # hidden, use -P to show it\n";
  expect(foundIn(`${policy}passdb {\n  driver = pam\n}\n`)).toEqual([]);
});

test("any text is read without an error", () => {
  const line = fc.constantFrom(
    "passdb {",
    "protocol imap {",
    "}",
    "driver = pam",
    "# x = {",
    "a",
    "=",
    "{",
    " b =  c ",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => void judgeDovecot(readDoveconf(lines.join("\n")))),
  );
});
