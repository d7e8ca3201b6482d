import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import { pause, poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

let slapd: Slapd;
let stack: Stack;

beforeAll(async () => {
  slapd = await spawnSlapd({ ldif: exampleLdif });
  stack = await startStack({
    redis: true,
    backends: {
      order: ["ldap"],
      ldap: {
        default: { server_uri: [slapd.uri], bind_dn: slapd.rootDn, bind_pw: slapd.rootPassword },
        search: [
          {
            protocol: ["imap"],
            cache_name: "mail",
            base_dn: `ou=people,${slapd.suffix}`,
            filter: { user: "(&(objectClass=inetOrgPerson)(uid=%L{user}))" },
            mapping: { account_field: "uid" },
            attribute: ["cn"],
          },
        ],
      },
    },
    settings: {
      runtime: { timeouts: { decision: "1s", ldap_search: "500ms", ldap_bind: "500ms" } },
      storage: { redis: { identity_cache: { enabled: true } } },
    },
  });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await slapd[Symbol.asyncDispose]();
});

const lookUp = (query = "", username = "alice") =>
  askJson(stack.url, { username, protocol: "imap" }, { query: `?mode=no-auth${query}` });

test("without LDAP a look-up is answered from the identity cache until a flush; cache=0 bypasses it", async () => {
  const first = await lookUp();
  expect([first.status, first.headers.get("x-service-memory-cache")]).toEqual([200, "Miss"]);
  expect((await lookUp("", "nobody")).status).toBe(403);
  const redis = await testRedis(stack.redis?.port ?? 0);
  await pause(slapd);
  try {
    const second = await lookUp();
    expect([second.status, second.body]).toEqual([200, first.body]);
    // Another unknown name, because the directory has cached that the first is unknown.
    expect((await lookUp("", "nobody-else")).status).toBe(500);
    expect((await lookUp("&cache=0")).status).toBe(500);
    const login = await askJson(stack.url, { username: "alice", password: "any", protocol: "imap" });
    expect(login.status).toBe(500);
    const { removedKeys } = await createAccountFlush({ redis, bus: { publish: () => true }, keyPrefix: "postern:" })(
      "alice",
    );
    expect(removedKeys).toEqual([expect.stringContaining(":identity:")]);
    expect((await lookUp()).status).toBe(500);
  } finally {
    slapd.signal("SIGCONT");
    redis.disconnect();
  }
  await poll("LDAP to be queried again", async () => (await lookUp()).status === 200);
});
