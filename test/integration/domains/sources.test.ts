import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends, type Tree } from "../../support/stack-config.ts";

const owned = new AsyncDisposableStack();

function domainEntry(name: string, fields: readonly string[]): string {
  const lines = [`dn: uid=${name},ou=domains,dc=example,dc=test`, "objectClass: inetOrgPerson", `uid: ${name}`];
  return [...lines, `cn: ${name}`, `sn: ${name}`, ...fields, "", ""].join("\n");
}

const ldif = `dn: ou=domains,dc=example,dc=test
objectClass: organizationalUnit
ou: domains

${domainEntry("example.test", ["ou: one.test", "ou: two.test", "employeeType: TRUE"])}${domainEntry("closed.test", ["employeeType: FALSE", "description: Closed."])}${domainEntry("broken.test", ["employeeType: perhaps"])}`;

const script = `
local records = {
  ["example.test"] = { name = "example.test", aliases = { "one.test", "two.test" }, attributes = { tenant = "7" } },
  ["closed.test"] = { name = "closed.test", enabled = false, message = "Closed." },
  ["broken.test"] = { name = "broken.test", enabled = "perhaps" },
  ["stolen.test"] = { name = "example.test" },
}
function domain(request)
  for _, record in pairs(records) do
    for _, alias in ipairs(record.aliases or {}) do
      if alias == request.domain then return record end
    end
  end
  return records[request.domain]
end
`;

async function luaSource(): Promise<{ readonly source: Tree; readonly backends: Tree }> {
  const { path } = owned.use(await scratchFolder());
  const file = join(path, "domains.lua");
  writeFileSync(file, script);
  return { source: { kind: "lua", script_path: file }, backends: {} };
}

async function ldapSource(): Promise<{ readonly source: Tree; readonly backends: Tree }> {
  const slapd = owned.use(await spawnSlapd({ ldif }));
  const pool = {
    server_uri: [`ldap://127.0.0.1:${slapd.port}`],
    bind_dn: "cn=admin,dc=example,dc=test",
    bind_pw: "slapd-root-password",
  };
  const attributes = { name: "uid", aliases: "ou", enabled: "employeeType", message: "description" };
  const source = {
    kind: "ldap",
    pool: "domains",
    base_dn: "ou=domains,dc=example,dc=test",
    filter: "(|(uid=%{domain})(ou=%{domain}))",
    attributes,
  };
  return { source, backends: { ldap: { pools: { domains: pool } } } };
}

describe.each(["ldap", "lua"])("a source of the kind %s", (kind) => {
  let stack: Stack;

  beforeAll(async () => {
    const { source, backends } = await (kind === "ldap" ? ldapSource() : luaSource());
    stack = owned.use(
      await startStack({
        backends: (folder) => ({ ...demoBackends(folder), ...backends }),
        settings: { auth: { domains: { source } } },
      }),
    );
  });

  const signIn = async (username: string) => {
    const { status, headers } = await askJson(stack.url, { ...alice, username });
    return [status, headers.get("auth-user") ?? headers.get("auth-status")];
  };

  test("finds records by name and alias", async () => {
    for (const name of ["alice@example.test", "alice@two.test", "alice@ONE.test"])
      expect(await signIn(name)).toEqual([200, "alice@example.test"]);
    expect(await signIn("alice@closed.test")).toEqual([403, "Closed."]);
    expect(await signIn("alice@three.test")).toEqual(await signIn("nobody@example.test"));
  });

  test("whose record is not valid decides nothing", async () => {
    expect((await signIn("alice@broken.test"))[0]).toBe(500);
    if (kind === "lua") expect((await signIn("alice@stolen.test"))[0]).toBe(500);
  });
});

afterAll(() => owned.disposeAsync());
