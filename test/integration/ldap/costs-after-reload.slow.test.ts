import { poll, spawnSlapd } from "@postern/testing";
import { expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

/** Some hundred milliseconds of work for the server, with any password. */
const ldif = `dn: ou=people,dc=example,dc=test
objectClass: organizationalUnit
ou: people

dn: uid=alice,ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: alice
cn: alice
sn: alice
userPassword: {CRYPT}$6$rounds=300000$saltsalt$${"a".repeat(86)}
`;

test("after a reload, an unknown user takes as long as a known one", async () => {
  await using slapd = await spawnSlapd({ ldif });
  const settings = {
    auth: {
      backends: {
        order: ["ldap"],
        ldap: {
          default: { server_uri: [slapd.uri], bind_dn: slapd.rootDn, bind_pw: slapd.rootPassword },
          search: [
            {
              protocol: ["imap"],
              cache_name: "people",
              base_dn: "ou=people,dc=example,dc=test",
              filter: { user: "(uid=%{username})" },
              mapping: { account_field: "uid" },
            },
          ],
        },
      },
    },
  };
  await using stack = await startStack({ settings });
  const [engine] = stack.engines;
  if (engine === undefined) throw new Error("no engine");
  const takes = async (username: string): Promise<number> => {
    const started = performance.now();
    expect((await askJson(stack.url, { username, password: "wrong", protocol: "imap" })).status).toBe(403);
    return performance.now() - started;
  };
  const ofAlice = Math.min(await takes("alice"), await takes("alice"));
  await stack.writeSettings({ ...settings, observability: { log: { level: "debug" } } });
  engine.signal("SIGHUP");
  await poll("the reload", async () => /config_reloads_total\{result="applied"\} 1/.test(await engine.metrics()));
  expect(await takes("nobody")).toBeGreaterThan(ofAlice / 2);
});
