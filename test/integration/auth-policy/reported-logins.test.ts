import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { askJson } from "../../support/ask-json.ts";
import { askPolicy, policyClient } from "../../support/auth-policy.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";
import { startPolicyStack } from "./settings.ts";

let stack: Stack;
let client: ReturnType<typeof policyClient>;

/** The policy is in YAML, as a site writes it, because an object with `then` looks like a promise. */
const policies = `
- name: no-pop3
  operations: [auth_policy]
  if:
    all:
      - { attribute: request.protocol, eq: pop3 }
      - { attribute: request.attrs.site, contains: b }
  then: { decision: deny, response_message: { from: literal, text: Use IMAP } }
# A rule about accounts must not refuse every user where accounts are unknown.
- name: group
  if: { not: { attribute: auth.account.groups, contains: mail } }
  then: { decision: deny }
`;

beforeAll(async () => {
  stack = await startPolicyStack({ auth: { policy: { policies: parse(policies) } } });
  client = policyClient(stack.url);
});

afterAll(() => stack[Symbol.asyncDispose]());

describe("a guesser", () => {
  test("is rejected after the tenth wrong password, in every protocol, and no other network is", async () => {
    const remote = "192.0.2.1";
    await client.guess({ remote }, 9);
    expect(await client.statusOf({ remote })).toBe(0);
    await client.guess({ remote, protocol: "smtp" }, 1, 9);
    const refused = await client.allow({ remote, login: "other@example.test", protocol: "pop3" });
    expect(refused.body).toEqual({
      status: -1,
      msg: "",
      r_attrs: { reason: "ban", rule: "ipv4", retry_after: expect.stringMatching(/^3[56]\d\d$/u) },
    });
    const line = await logLineOf(stack.gateway, refused.session, "auth policy");
    expect(line).toMatchObject({ outcome: "rejected", reason: "ban", rule: "ipv4", client_ip: remote });
    expect(await client.statusOf({ remote: "192.0.2.2" })).toBe(0);
    // The other endpoints use the same bans.
    const answer = await askJson(stack.url, { username: "a", password: "b", protocol: "imap", client_ip: remote });
    expect(answer.status).toBe(403);
  });

  test("with a mechanism that sends no password is rejected too, although the hash is always the same", async () => {
    const remote = "192.0.2.3";
    for (let count = 0; count < 10; count += 1) await client.failure({ remote, mech: "CRAM-MD5" });
    expect(await client.statusOf({ remote })).toBe(-1);
  });

  test("without a hash is rejected too", async () => {
    const remote = "192.0.2.4";
    for (let count = 0; count < 10; count += 1) await client.failure({ remote, pwhash: undefined });
    expect(await client.statusOf({ remote })).toBe(-1);
  });

  test("whose passwords all have the same hash is rejected in the end", async () => {
    const remote = "192.0.2.5";
    for (let count = 0; count < 61; count += 1) await client.failure({ remote });
    expect(await client.statusOf({ remote })).toBe(0);
    for (let count = 0; count < 10; count += 1) await client.failure({ remote });
    expect(await client.statusOf({ remote })).toBe(-1);
  });

  test("of many long names is rejected, and parallel reports cannot exceed the limit", async () => {
    const remote = "192.0.2.6";
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        client.failure({ remote, login: `${"x".repeat(2000)}-${index}`, fail_type: "account" }),
      ),
    );
    expect(await client.statusOf({ remote })).toBe(-1);
  });
});

describe("a user", () => {
  test("whose program repeats an outdated password is not rejected, and duplicates of a report do not count", async () => {
    const remote = "192.0.2.20";
    for (let count = 0; count < 30; count += 1) await client.failure({ remote });
    expect(await client.statusOf({ remote })).toBe(0);
    await client.guess({ remote }, 8);
    await Promise.all([client.guess({ remote }, 8), client.guess({ remote }, 8)]);
    expect(await client.statusOf({ remote })).toBe(0);
  });

  test("who mistyped the password has no failures left after signing in", async () => {
    const remote = "192.0.2.21";
    await client.guess({ remote }, 3);
    expect((await client.success({ remote })).body).toEqual({ status: "ok" });
    await client.guess({ remote, login: "other@example.test" }, 9);
    expect(await client.statusOf({ remote })).toBe(0);
  });

  test("whose correct password fails because the passdb is unavailable is not rejected", async () => {
    const remote = "192.0.2.22";
    await client.success({ remote, pwhash: "right" });
    const redis = await testRedis(stack.redis?.port ?? 0);
    await poll("the sign-in to be noted", async () => (await redis.keys("*bf:hashes:*")).length > 0);
    redis.disconnect();
    for (let count = 0; count < 40; count += 1) await client.failure({ remote, pwhash: "right" });
    for (let count = 0; count < 80; count += 1) await client.failure({ remote, pwhash: "right", mech: "PLAIN" });
    expect(await client.statusOf({ remote })).toBe(0);
    await client.guess({ remote }, 9);
    expect(await client.statusOf({ remote })).toBe(0);
  });

  test("is not counted for refusals, internal errors and expired passwords", async () => {
    const remote = "192.0.2.23";
    for (const reason of [{ policy_reject: true }, { fail_type: "internal" }, { fail_type: "expired" }]) {
      await client.guess({ remote, ...reason }, 12);
    }
    const { session } = await client.failure({ remote, fail_type: "internal" });
    expect(await logLineOf(stack.gateway, session, "auth policy")).toMatchObject({
      outcome: "ignored",
      reason: "internal",
    });
    expect(await client.statusOf({ remote })).toBe(0);
  });

  test("in an allowed network is neither counted nor rejected", async () => {
    await client.guess({ remote: "203.0.113.250" }, 30);
    expect(await client.statusOf({ remote: "203.0.113.250" })).toBe(0);
  });

  test("whose mail server names no client is never rejected because of other users", async () => {
    for (const remote of [undefined, "", "unknown"]) await client.guess({ remote, login: "attacked@example.test" }, 12);
    expect(await client.statusOf({ remote: "" })).toBe(0);
    expect(await client.statusOf({ remote: "", login: "attacked@example.test" })).toBe(1);
  });

  test("waits at an unknown network while the password is guessed from many, and not at a known one", async () => {
    const login = "delayed@example.test";
    await client.success({ login, remote: "198.51.100.1" });
    for (let index = 0; index < 15; index += 1) {
      await client.failure({ login, remote: `198.18.${index}.1`, pwhash: `guess-${index}` });
    }
    const delayed = await client.allow({ login, remote: "192.0.2.40" });
    expect(delayed.body).toEqual({ status: 3, msg: "", r_attrs: { reason: "account_delay" } });
    expect(await client.statusOf({ login, remote: "198.51.100.77" })).toBe(0);
  });
});

const reset = (body: object) => askPolicy(stack.url, "reset", body);

describe("reset", () => {
  test("removes the ban of an address", async () => {
    const remote = "192.0.2.50";
    await client.guess({ remote }, 10);
    const login = "another@example.test";
    expect(await client.statusOf({ remote, login })).toBe(-1);
    expect((await reset({ ip: remote })).body).toEqual({ status: "ok" });
    expect(await client.statusOf({ remote, login })).toBe(0);
    await poll("the audit record", () => stack.gateway.output().includes("brute_force.flush"));
  });

  test("removes the delay of an account and the bans of its addresses", async () => {
    const login = "reset@example.test";
    const remote = "192.0.2.51";
    await client.guess({ login, remote }, 10);
    for (let index = 0; index < 5; index += 1) {
      await client.failure({ login, remote: `198.19.${index}.1`, pwhash: `more-${index}` });
    }
    expect(await client.statusOf({ login, remote: "192.0.2.52" })).toBeGreaterThan(0);
    await reset({ login });
    expect(await client.statusOf({ login, remote: "192.0.2.52" })).toBe(0);
    expect(await client.statusOf({ login, remote })).toBe(0);
  });

  test("without an address or a login is malformed", async () => {
    expect(await reset({})).toMatchObject({
      http: 400,
      body: { status: "failure", reason: "ip or login is required" },
    });
  });
});

test("a policy rejects with its message; only rules for auth_policy apply", async () => {
  expect((await client.allow({ remote: "192.0.2.60", protocol: "POP3", attrs: { site: ["a", "b"] } })).body).toEqual({
    status: -1,
    msg: "Use IMAP",
    r_attrs: { reason: "policy" },
  });
  expect(await client.statusOf({ remote: "192.0.2.60", protocol: "POP3" })).toBe(0);
});

test("a password hash is in no log and in no key or value of Redis", async () => {
  const secret = "5ec4e7ha5h";
  for (const remote of ["192.0.2.70", "", "nowhere"]) {
    await client.failure({ remote, pwhash: secret });
    await client.success({ remote, pwhash: secret });
    await client.allow({ remote, pwhash: secret });
    await askPolicy(stack.url, "report", { pwhash: secret, login: 5 });
  }
  const redis = await testRedis(stack.redis?.port ?? 0);
  expect(await redisContent(redis)).not.toContain(secret);
  redis.disconnect();
  for (const service of [stack.gateway, ...stack.engines]) expect(service.output()).not.toContain(secret);
});

describe("callers", () => {
  test("without credentials are rejected like at the other endpoints", async () => {
    expect((await askPolicy(stack.url, "allow", { login: "a" }, null)).http).toBe(401);
    expect((await askPolicy(stack.url, "allow", { login: "a" }, "Basic eDp5")).http).toBe(401);
  });

  test("may check that the endpoint works", async () => {
    expect((await askPolicy(stack.url, "ping", undefined)).body).toEqual({ status: "ok" });
    const url = `${stack.url}/api/v1/auth-policy?command=ping`;
    const answer = await fetch(url, {
      headers: { authorization: `Basic ${btoa("backchannel:demo-backchannel-secret")}` },
    });
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
  });

  test.each([
    ["addBLEntry", { ip: "192.0.2.1" }, "command is not supported"],
    ["allow", undefined, "login is required"],
    ["report", { login: "a", remote: "192.0.2.1", pwhash: "x" }, "success is required"],
  ])("%s with %j is malformed: %s", async (command, body, reason) => {
    expect(await askPolicy(stack.url, command, body)).toMatchObject({
      http: 400,
      body: { status: "failure", reason },
    });
  });

  test("count in the metrics, by command and result", async () => {
    const metrics = await stack.gateway.metrics();
    for (const series of ['command="allow",outcome="rejected"', 'command="report",outcome="counted"']) {
      expect(metrics).toMatch(new RegExp(`service_auth_policy_requests_total\\{${series}\\} [1-9]`, "u"));
    }
  });
});
