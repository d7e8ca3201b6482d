import { createRevoker } from "@postern/shared/domain/tokens";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { askPolicy } from "../../support/auth-policy.ts";
import { assertionSecret, type CallersStack, startCallersStack } from "../../support/callers-stack.ts";
import { sessionId } from "../../support/dialects.ts";
import { testRedis } from "../../support/redis-content.ts";
import { settledOrder } from "../../support/settled-order.ts";
import { basicAuth } from "../../support/stack.ts";

let stack: CallersStack;

beforeAll(async () => {
  stack = await startCallersStack({ gateways: 2 });
});

afterAll(() => stack[Symbol.asyncDispose]());

interface TimedAnswer {
  readonly status: number;
  readonly ms: number;
  readonly headers: Headers;
}

async function ask(token: string, url = stack.url): Promise<TimedAnswer> {
  const started = performance.now();
  const response = await fetch(`${url}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - started, headers: response.headers };
}

const expiredToken = (): Promise<string> => stack.issuer.token({ exp: 1_700_000_000 });

async function load(token: string): Promise<TimedAnswer> {
  const started = performance.now();
  const response = await fetch(`${stack.url}/api/v1/config/load`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - started, headers: response.headers };
}

async function flush(body: object): Promise<unknown> {
  const headers = { authorization: basicAuth, "content-type": "application/json" };
  const init = { method: "DELETE", headers, body: JSON.stringify(body) };
  return (await fetch(`${stack.url}/api/v1/cache/flush`, init)).json();
}

async function challengeOf(answer: Promise<TimedAnswer>): Promise<string | null> {
  return (await answer).headers.get("www-authenticate");
}

function insufficient(scope: string): string {
  return `Bearer realm="postern", error="insufficient_scope", scope="${scope}"`;
}

function by(actor: string, method: string) {
  return expect.objectContaining({ audit: true, actor, method });
}

describe("Bearer callers (contract, Caller rejection outcomes)", () => {
  test("an access token for the back channel with the base scope is accepted repeatedly", async () => {
    const token = await stack.issuer.token();
    for (let count = 0; count < 3; count += 1) expect((await ask(token)).status).toBe(200);
  });

  test.each([
    ["expired", { exp: 1_700_000_000 }],
    ["of another issuer", { iss: "https://other.example.test" }],
    ["without jti", { jti: undefined }],
  ])("rejected with 401 after 300 ms: %s", async (_what, claims) => {
    const { status, ms, headers } = await ask(await stack.issuer.token(claims));
    expect(status).toBe(401);
    expect(ms).toBeGreaterThanOrEqual(299);
    expect(headers.get("www-authenticate")).toContain("Bearer");
  });

  test.each([
    ["an ID token", { token_type: undefined, aud: "demo-web" }, { typ: "JWT" }],
    ["an access token for another audience", { aud: "demo-web" }, {}],
    ["an access token with another token_type", { token_type: "refresh_token" }, {}],
  ])("rejected with 401 without a delay: %s", async (_what, claims, header) => {
    const [expired, token] = await Promise.all([expiredToken(), stack.issuer.token(claims, header)]);
    const [delayed, immediate] = [ask(expired), ask(token)];
    expect(await settledOrder({ delayed, immediate })).toEqual(["immediate", "delayed"]);
    expect((await immediate).status).toBe(401);
  });

  test("rejected with 403 without a delay if the base scope is missing, or all scopes of the route", async () => {
    const [other, base] = await Promise.all([stack.issuer.token({ scope: "service:security" }), stack.issuer.token()]);
    const delayed = ask(await expiredToken());
    const [withoutBase, withoutRoute] = [ask(other), load(base)];
    expect((await settledOrder({ delayed, withoutBase, withoutRoute })).at(-1)).toBe("delayed");
    expect([(await withoutBase).status, (await withoutRoute).status]).toEqual([403, 403]);
    expect((await load(await stack.issuer.token({ scope: "service:admin" }))).status).toBe(403);
  });

  test("a 403 names the scopes that the token lacks (RFC 6750 §3.1)", async () => {
    const other = await stack.issuer.token({ scope: "service:security" });
    expect(await challengeOf(ask(other))).toBe(insufficient("service:authenticate"));
    expect(await challengeOf(load(other))).toBe(insufficient("service:authenticate"));
    expect(await challengeOf(load(await stack.issuer.token()))).toBe(insufficient("service:security service:admin"));
    const none = insufficient("service:authenticate service:security service:admin");
    expect(await challengeOf(load(await stack.issuer.token({ scope: "mail" })))).toBe(none);
  });

  test("a 401 names an invalid token in the challenge, and only the schemes if there were no credentials", async () => {
    const { headers } = await ask(await stack.issuer.token({ iss: "https://other.example.test" }));
    expect(headers.get("www-authenticate")).toContain('Bearer realm="postern", error="invalid_token"');
    const response = await fetch(`${stack.url}/api/v1/config/load`);
    expect(response.headers.get("www-authenticate")).toBe(
      'Basic realm="postern", charset="UTF-8", Bearer realm="postern"',
    );
  });

  test("the log line of a rejection has the session identifier of its response", async () => {
    const { headers } = await ask(await stack.issuer.token({ iss: "https://other.example.test" }));
    const session = headers.get("x-service-session");
    const line = await poll("the log line", () =>
      stack.gateway
        .output()
        .split("\n")
        .find((text) => text.includes("caller rejected") && text.includes(`"session":"${session}"`)),
    );
    expect(JSON.parse(line)).toMatchObject({ reason: "bad_token", transport: "http" });
  });

  test("a 403 of admin has the same challenge, and every response of admin has the session identifier", async () => {
    const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
    const caller = { method: "bearer", scopes: [], clientIp: "192.0.2.9", session: "s-403" } as const;
    const headers = { [callerAssertionHeader]: await sign(caller, "admin") };
    const refused = await fetch(`${stack.adminUrls[0]}/api/v1/config/load`, { headers });
    expect([refused.status, refused.headers.get("x-service-session")]).toEqual([403, "s-403"]);
    expect(refused.headers.get("www-authenticate")).toBe(
      'Bearer realm="postern", error="insufficient_scope", scope="service:security service:admin"',
    );
    const unvouched = await fetch(`${stack.adminUrls[0]}/api/v1/config/load`);
    expect(unvouched.headers.get("x-service-session")).toMatch(sessionId);
  });

  test("a request that violates its schema is answered with the field and the rule", async () => {
    expect(await flush({ user: "*" })).toEqual({
      error: "invalid payload: user: must be a string of 1 to 1024 characters, without * and ?",
    });
    expect(await flush({})).toEqual({ error: "invalid payload: user: is missing" });
  });

  test("reset over auth-policy requires a scope of operators, the other commands do not", async () => {
    const scopes = ["service:authenticate", "service:authenticate service:security", "service:security"];
    const statuses = await Promise.all(
      scopes.map(async (scope) => {
        const authorization = `Bearer ${await stack.issuer.token({ scope })}`;
        const login = { login: alice.username, ip: "192.0.2.1" };
        const responses = ["allow", "reset"].map((command) => askPolicy(stack.url, command, login, authorization));
        return (await Promise.all(responses)).map(({ http }) => http);
      }),
    );
    expect(statuses).toEqual([
      [200, 403],
      [200, 200],
      [403, 403],
    ]);
  });

  test("one of the route's additional scopes is sufficient, and the service trusts the gateway's assertion", async () => {
    for (const scope of ["service:security", "service:admin"]) {
      expect((await load(await stack.issuer.token({ scope: `service:authenticate ${scope}` }))).status).toBe(200);
    }
  });

  test("the audit record names the API caller, or only its method if an older gateway sent no name", async () => {
    const reader = "service:authenticate service:admin";
    await load(await stack.issuer.token({ scope: reader, sub: "robot", client_id: "robot" }));
    await load(await stack.issuer.token({ scope: reader, sub: "alice", client_id: "console" }));
    const url = "/api/v1/config/load";
    await fetch(`${stack.url}${url}`, { headers: { authorization: basicAuth } });
    const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
    const unnamed = { method: "basic", scopes: [], clientIp: "192.0.2.9", session: "s-1" } as const;
    const older = { [callerAssertionHeader]: await sign(unnamed, "admin") };
    await fetch(`${stack.adminUrls[0]}${url}`, { headers: older });
    const output = (): string => stack.services.map((service) => service.output()).join("\n");
    // The last record is from an address that only this test uses.
    await poll("the audit record", () => /"event":"configuration.read".*192\.0\.2\..*\n/.test(output()));
    const reads = output()
      .split("\n")
      .filter((line) => line.includes('"event":"configuration.read"') && line.endsWith("}"))
      .map((line): unknown => JSON.parse(line));
    const expected = [
      by("robot", "bearer"),
      by("console:alice", "bearer"),
      by("backchannel", "basic"),
      by("basic", "basic"),
    ];
    expect(reads).toEqual(expect.arrayContaining(expected));
  });

  test("a denied token, and every token of a user whose epoch rose, is rejected within revocation_ttl", async () => {
    const redis = await testRedis(stack.redis.port);
    const epochUser = { kind: "user", id: "epoch-user" } as const;
    const revoker = createRevoker(redis, "postern:", { now: () => Date.now() });
    const one = await stack.issuer.token({ jti: "denied-one" });
    const users = await stack.issuer.token({ sub: "epoch-user" });
    expect([(await ask(one)).status, (await ask(users)).status]).toEqual([200, 200]);
    await revoker.deny("denied-one", Date.now() + 300_000);
    await revoker.denySubject(stack.issuer.issuer, epochUser);
    for (const revoked of [one, users]) await expect.poll(async () => (await ask(revoked)).status).toBe(401);
    const epoch = await revoker.epochOf(stack.issuer.issuer, epochUser);
    expect((await ask(await stack.issuer.token({ sub: "epoch-user", epoch }))).status).toBe(200);
    redis.disconnect();
  });

  test("while Redis hangs, both gateways answer tokens with 503 and Retry-After, never 401; wrong signatures still with 401; Basic still works", async () => {
    const token = await stack.issuer.token();
    await pause(stack.redis);
    try {
      for (const { url } of stack.gateways) {
        const { status, headers } = await ask(token, url);
        expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
        expect((await ask(`${token}x`, url)).status).toBe(401);
        expect((await askJson(url, alice)).status).toBe(200);
      }
    } finally {
      stack.redis.signal("SIGCONT");
    }
    for (const { url, process } of stack.gateways) {
      await poll("the token to be accepted again", async () => (await ask(token, url)).status === 200);
      expect(await process.metrics()).toMatch(/backchannel_caller_auth_total\{outcome="unavailable"\} [1-9]/);
    }
  });

  test("an API caller that disconnects while its token's state is being read is counted as canceled", async () => {
    const token = await stack.issuer.token();
    await pause(stack.redis);
    try {
      const signal = AbortSignal.timeout(200);
      const gone = fetch(`${stack.url}/api/v1/auth/json`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        signal,
      });
      await expect(gone).rejects.toThrow(/abort|timeout/i);
      const counted = /backchannel_caller_auth_total\{outcome="canceled"\} [1-9]/;
      await poll("the count", async () => counted.test(await stack.gateway.metrics()));
    } finally {
      stack.redis.signal("SIGCONT");
    }
  });
});
