import { setTimeout as delay } from "node:timers/promises";
import { Secret } from "@postern/shared/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/http";
import { pause, poll } from "@postern/shared/testing";
import { createRevoker } from "@postern/shared/tokens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { assertionSecret, type CallersStack, startCallersStack } from "../../support/callers-stack.ts";
import { testRedis } from "../../support/redis-content.ts";
import { basicAuth } from "../../support/stack.ts";

let stack: CallersStack;

beforeAll(async () => {
  stack = await startCallersStack();
});

afterAll(() => stack[Symbol.asyncDispose]());

interface Asked {
  readonly status: number;
  readonly ms: number;
  readonly headers: Headers;
}

async function ask(token: string): Promise<Asked> {
  const started = performance.now();
  const response = await fetch(`${stack.url}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - started, headers: response.headers };
}

async function load(token: string): Promise<Asked> {
  const started = performance.now();
  const response = await fetch(`${stack.url}/api/v1/config/load`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - started, headers: response.headers };
}

function by(actor: string, method: string) {
  return expect.objectContaining({ audit: true, actor, method });
}

describe("Bearer callers (contract, Caller rejection outcomes)", () => {
  test("an access token for the back channel with the base scope is let in, again and again", async () => {
    const token = await stack.issuer.token();
    for (let count = 0; count < 3; count += 1) expect((await ask(token)).status).toBe(200);
  });

  test.each([
    ["expired", { exp: 1_700_000_000 }],
    ["another issuer's", { iss: "https://other.example.test" }],
    ["without jti", { jti: undefined }],
  ])("401 after 300 ms: %s", async (_what, claims) => {
    const { status, ms, headers } = await ask(await stack.issuer.token(claims));
    expect(status).toBe(401);
    expect(ms).toBeGreaterThanOrEqual(299);
    expect(headers.get("www-authenticate")).toContain("Bearer");
  });

  test.each([
    ["an ID token", { token_type: undefined, aud: "demo-web" }, { typ: "JWT" }],
    ["an access token for another audience", { aud: "demo-web" }, {}],
    ["an access token with another token_type", { token_type: "refresh_token" }, {}],
  ])("401 at once: %s", async (_what, claims, header) => {
    const { status, ms } = await ask(await stack.issuer.token(claims, header));
    expect(status).toBe(401);
    expect(ms).toBeLessThan(250);
  });

  test("403 at once without the base scope, or without any of the route's", async () => {
    const withoutBase = await ask(await stack.issuer.token({ scope: "service:security" }));
    expect([withoutBase.status, withoutBase.ms < 250]).toEqual([403, true]);
    const withoutRoute = await load(await stack.issuer.token());
    expect([withoutRoute.status, withoutRoute.ms < 250]).toEqual([403, true]);
    expect((await load(await stack.issuer.token({ scope: "service:admin" }))).status).toBe(403);
  });

  test("any one of the route's extra scopes suffices, and the owner takes the gateway's word", async () => {
    for (const scope of ["service:security", "service:admin"]) {
      expect((await load(await stack.issuer.token({ scope: `service:authenticate ${scope}` }))).status).toBe(200);
    }
  });

  test("the audit stream names the caller, and its method alone where an older gateway told no name", async () => {
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
    // From the address that this test alone uses, written last.
    await poll("the audit stream", () => /"event":"configuration.read".*192\.0\.2\..*\n/.test(output()));
    const reads = output()
      .split("\n")
      .filter((line) => line.includes('"event":"configuration.read"') && line.endsWith("}"))
      .map((line): unknown => JSON.parse(line));
    const told = [
      by("robot", "bearer"),
      by("console:alice", "bearer"),
      by("backchannel", "basic"),
      by("basic", "basic"),
    ];
    expect(reads).toEqual(expect.arrayContaining(told));
  });

  test("a denied token, and every token of a user whose epoch rose, is dead within revocation_ttl", async () => {
    const redis = await testRedis(stack.redis.port);
    const revoker = createRevoker({ redis, prefix: "postern:", clock: { now: () => Date.now() } });
    const one = await stack.issuer.token({ jti: "denied-one" });
    const users = await stack.issuer.token({ sub: "epoch-user" });
    expect([(await ask(one)).status, (await ask(users)).status]).toEqual([200, 200]);
    await revoker.deny("denied-one", Date.now() + 300_000);
    await revoker.denySubject(stack.issuer.issuer, "epoch-user");
    await delay(250);
    expect([(await ask(one)).status, (await ask(users)).status]).toEqual([401, 401]);
    const epoch = await revoker.epochOf(stack.issuer.issuer, "epoch-user");
    expect((await ask(await stack.issuer.token({ sub: "epoch-user", epoch }))).status).toBe(200);
    redis.disconnect();
  });

  test("Redis hung: 503 with Retry-After, never 401; a bad signature stays 401; Basic is not troubled", async () => {
    const token = await stack.issuer.token();
    await pause(stack.redis);
    try {
      const { status, headers } = await ask(token);
      expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
      expect((await ask(`${token}x`)).status).toBe(401);
      expect((await askJson(stack.url, alice)).status).toBe(200);
    } finally {
      stack.redis.signal("SIGCONT");
    }
    await poll("the token to be taken again", async () => (await ask(token)).status === 200);
    expect(await stack.gateway.metrics()).toMatch(/backchannel_caller_auth_total\{outcome="unavailable"\} [1-9]/);
  });

  test("a caller who leaves while its token's state is read is counted as canceled", async () => {
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
