import { poll, type Slapd, spawnSlapd } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

const inFlightOfEngine = 4;

let slapd: Slapd;
let stack: Stack;

const alice = { username: "alice", password: "alice-password", protocol: "imap", client_ip: "203.0.113.9" };

beforeAll(async () => {
  slapd = await spawnSlapd({ ldif: exampleLdif });
  const backends = {
    order: ["ldap"],
    ldap: {
      default: {
        server_uri: [slapd.uri],
        bind_dn: slapd.rootDn,
        bind_pw: slapd.rootPassword,
        lookup_pool_size: 2,
        auth_pool_size: 8,
        cb_cooldown: "1s",
      },
      search: [
        {
          protocol: ["imap"],
          cache_name: "mail",
          base_dn: `ou=people,${slapd.suffix}`,
          filter: { user: "(&(objectClass=inetOrgPerson)(uid=%L{user}))" },
          mapping: { account_field: "uid" },
          attribute: ["cn", "mail", "userPassword"],
          release_dn: true,
        },
      ],
    },
  };
  stack = await startStack({
    engines: 2,
    backends,
    settings: {
      runtime: {
        bus: { max_in_flight: inFlightOfEngine },
        timeouts: { decision: "2s", ldap_search: "1s", ldap_bind: "1s" },
      },
      // Without caches, so that every login queries the directory.
      auth: { pipeline: { local_cache_ttl: "0s" } },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await slapd[Symbol.asyncDispose]();
});

describe("decisions from LDAP", () => {
  test("200 with the account and the attributes that the search names, without the password", async () => {
    const { status, headers, body } = await askJson(stack.url, alice);
    expect([status, headers.get("auth-user")]).toEqual([200, "alice"]);
    const answer = JSON.parse(body);
    expect(answer).toMatchObject({ ok: true, account_field: "uid", backend: 2 });
    expect(Object.keys(answer.attributes)).not.toContain("userPassword");
    expect(answer.attributes.cn).toEqual([expect.any(String)]);
    expect(answer.attributes.dn).toEqual([expect.stringMatching(/^uid=alice,/u)]);
  });

  test("403 for a wrong password, an unknown user, and a name with filter syntax", async () => {
    for (const change of [{ password: "wrong" }, { username: "nobody" }, { username: "*" }]) {
      const { status, body } = await askJson(stack.url, { ...alice, ...change });
      expect([status, body]).toEqual([403, "null"]);
    }
  });

  test("a protocol that no search serves is a temporary failure, never a denial", async () => {
    const { status, headers } = await askJson(stack.url, { ...alice, protocol: "pop3" });
    expect(status).toBe(500);
    expect(headers.get("auth-status")).toMatch(/Temporary/);
  });

  test("the log contains protocol and dialect of a request that could not be decided", async () => {
    await askJson(stack.url, { ...alice, protocol: "saml" });
    const line = await poll("the engine's log line", () =>
      stack.engines
        .flatMap((engine) => engine.output().split("\n"))
        .find((text) => text.includes("could not decide") && text.includes("saml")),
    );
    expect(JSON.parse(line)).toMatchObject({
      protocol: "saml",
      dialect: "json",
      code: "DIRECTORY_NOT_CONFIGURED",
    });
  });

  test("mode=no-auth finds the account without a password", async () => {
    const { status } = await askJson(stack.url, { username: "alice", protocol: "imap" }, { query: "?mode=no-auth" });
    expect(status).toBe(200);
  });
});

describe("an LDAP outage (failure matrix, LDAP rows)", () => {
  test("a killed directory is a temporary failure, and decisions are right again once it is back", async () => {
    await slapd.kill();
    const { status, body } = await askJson(stack.url, alice);
    expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    await slapd.start();
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200, 15_000);
  });

  test("a directory that hangs is a temporary failure, and decisions are right again afterwards", async () => {
    await slapd.pause();
    expect((await askJson(stack.url, alice)).status).toBe(500);
    slapd.resume();
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200, 15_000);
  });

  test("while it hangs, requests above the engines' limit are rejected without waiting for it", async () => {
    const rejected = async (): Promise<number> => {
      const series = /service_bus_requests_failed_total\{code="OVERLOADED"\} (\d+)/;
      return Number(series.exec(await stack.gateway.metrics())?.[1] ?? 0);
    };
    const before = await rejected();
    await slapd.pause();
    const excess = 4;
    const requests = stack.engines.length * inFlightOfEngine + excess;
    const answers = await Promise.all(Array.from({ length: requests }, () => askJson(stack.url, alice)));
    slapd.resume();
    for (const { status, body } of answers) expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    expect(await rejected()).toBe(before + excess);
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200, 15_000);
  });
});
