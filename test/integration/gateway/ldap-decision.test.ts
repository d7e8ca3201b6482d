import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type HoldingProxy, startHoldingProxy } from "../../support/holding-proxy.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

const inFlightOfEngine = 4;

let slapd: Slapd;
let proxy: HoldingProxy;
let stack: Stack;

const groups = "ou=groups,dc=example,dc=test";
const ldif = `${exampleLdif}
dn: ${groups}
objectClass: organizationalUnit
ou: groups

dn: cn=staff,${groups}
objectClass: groupOfNames
cn: staff
member: uid=alice,ou=people,dc=example,dc=test

dn: cn=employees,${groups}
objectClass: groupOfNames
cn: employees
member: cn=staff,${groups}
`;

const alice = { username: "alice", password: "alice-password", protocol: "imap", client_ip: "203.0.113.9" };

beforeAll(async () => {
  slapd = await spawnSlapd({ ldif });
  proxy = await startHoldingProxy(slapd.port);
  const backends = {
    order: ["ldap"],
    ldap: {
      default: {
        server_uri: [`ldap://127.0.0.1:${proxy.port}`],
        bind_dn: slapd.rootDn,
        bind_pw: slapd.rootPassword,
        lookup_pool_size: 2,
        auth_pool_size: 8,
        cb_cooldown: "1s",
        membership_cache_ttl: "0s",
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
          groups: {
            strategy: "search",
            base_dn: groups,
            filter: "(member=%{user_dn})",
            recursive: true,
            release_as: "memberships",
          },
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
      // The caches are off, so that every login queries the directory.
      auth: { pipeline: { local_cache_ttl: "0s" } },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
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

/** Temporary failures of sign-ins, as each engine has logged them. */
const undecided = (): readonly number[] =>
  stack.engines.map((engine) => engine.output().split("could not decide").length - 1);

describe("an LDAP outage (failure matrix, LDAP rows)", () => {
  test.each(["killed", "frozen"])(
    "a directory that is %s after the password was verified is a temporary failure at both engines, never a success with fewer groups",
    async (how) => {
      const before = undecided();
      proxy.hold(groups);
      const first = askJson(stack.url, alice);
      await poll("a search for groups", () => proxy.held() === 1);
      // The gateway chooses the engine with fewer unanswered requests.
      const second = askJson(stack.url, alice);
      await poll("a search for groups by the other engine", () => proxy.held() === 2);
      if (how === "killed") await slapd.kill();
      else await slapd.pause();
      proxy.release();
      for (const { status, body } of await Promise.all([first, second])) {
        expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
      }
      await poll("the log line of each engine", () =>
        undecided().every((count, index) => count > (before[index] ?? 0)),
      );
      if (how === "killed") await slapd.start();
      else slapd.resume();
      await poll("the directory to recover", async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => askJson(stack.url, alice)));
        const right = answers.filter(({ status }) => status === 200);
        for (const { body } of right) {
          expect(JSON.parse(body).attributes.memberships.toSorted()).toEqual(["employees", "staff"]);
        }
        return right.length === answers.length;
      });
    },
  );

  test("a killed directory is a temporary failure, and decisions are right again once it is back", async () => {
    await slapd.kill();
    const { status, body } = await askJson(stack.url, alice);
    expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    await slapd.start();
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200);
  });

  test("a directory that hangs is a temporary failure, and decisions are right again afterwards", async () => {
    await slapd.pause();
    expect((await askJson(stack.url, alice)).status).toBe(500);
    slapd.resume();
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200);
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
    // More if a busy machine delays the heartbeats of an engine: its requests are sent to the other one, which is full too.
    expect(await rejected()).toBeGreaterThanOrEqual(before + excess);
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200);
  });
});
