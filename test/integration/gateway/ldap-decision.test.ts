import { poll, type Slapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import type { HoldingProxy } from "../../support/holding-proxy.ts";
import type { Stack } from "../../support/stack.ts";
import { alice, groups, inFlightOfEngine, type LdapStack, startLdapStack } from "./ldap-decision-stack.ts";

let site: LdapStack;
let slapd: Slapd;
let proxy: HoldingProxy;
let stack: Stack;

beforeAll(async () => {
  site = await startLdapStack();
  ({ slapd, proxy, stack } = site);
});

afterAll(() => site[Symbol.asyncDispose]());

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
  test("a directory that is killed after the password was verified is a temporary failure at both engines, never a success with fewer groups", async () => {
    const before = undecided();
    proxy.hold(groups);
    const first = askJson(stack.url, alice);
    await poll("a search for groups", () => proxy.held() === 1);
    // The gateway chooses the engine with fewer unanswered requests.
    const second = askJson(stack.url, alice);
    await poll("a search for groups by the other engine", () => proxy.held() === 2);
    await slapd.kill();
    proxy.release();
    for (const { status, body } of await Promise.all([first, second])) {
      expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    }
    await poll("the log line of each engine", () => undecided().every((count, index) => count > (before[index] ?? 0)));
    await slapd.start();
    await poll("the directory to recover", async () => {
      const answers = await Promise.all(Array.from({ length: inFlightOfEngine }, () => askJson(stack.url, alice)));
      const right = answers.filter(({ status }) => status === 200);
      for (const { body } of right) {
        expect(JSON.parse(body).attributes.memberships.toSorted()).toEqual(["employees", "staff"]);
      }
      return right.length === answers.length;
    });
  });
});
