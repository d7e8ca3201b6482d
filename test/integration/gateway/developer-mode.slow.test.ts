import { operations } from "@postern/shared/contracts";
import { describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

const nobodyConfigured = { auth: { backchannel: { basic_auth: { enabled: false } } } };

async function ask(url: string, headers: Record<string, string>, query = ""): Promise<number> {
  const body = JSON.stringify(alice);
  const type = { "content-type": "application/json" };
  const path = `/api/v1/auth/json${query}`;
  return (await fetch(`${url}${path}`, { method: "POST", headers: { ...type, ...headers }, body })).status;
}

describe("without a configured authentication of API callers", () => {
  test("every request is rejected with 401, even with credentials that the file still contains", async () => {
    await using stack = await startStack({ settings: nobodyConfigured });
    expect(await ask(stack.url, {})).toBe(401);
    expect((await askJson(stack.url, alice)).status).toBe(401);
    expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(401);
    expect((await fetch(`${stack.url}/api/v1/config/load`)).status).toBe(401);
    expect(await stack.gateway.metrics()).toMatch(/backchannel_caller_auth_total\{outcome="not_configured"\} 4/);
  });

  test("developer mode opens the back channel, and each request counts against the limit of its address", async () => {
    const http = { rate_limit: { per_second: 1, burst: 100 } };
    const runtime = { developer_mode: true, servers: { http } };
    const identity = { frontend: { enabled: true }, oidc: { enabled: true, issuer: "http://localhost:8080" } };
    await using stack = await startStack({
      settings: { ...nobodyConfigured, runtime, identity },
      services: ["admin", "idp"],
      redis: true,
    });
    expect(await ask(stack.url, {})).toBe(200);
    expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(403);
    const reading = operations.filter(
      ({ security, method, path }) => security === "backchannel" && method === "get" && !path.includes("{"),
    );
    expect(reading.length).toBeGreaterThan(10);
    for (const { path } of reading) {
      for (const headers of [{}, { authorization: "Basic bm86" }]) {
        const { status } = await fetch(`${stack.url}${path}`, { headers });
        expect([path, [401, 403].includes(status)]).toEqual([path, false]);
      }
    }
    const body = JSON.stringify({ user: alice.username });
    const flush = { method: "DELETE", headers: { "content-type": "application/json" }, body };
    expect((await fetch(`${stack.url}/api/v1/cache/flush`, flush)).status).toBe(200);
    const sessions = `${stack.url}/api/v1/oidc/sessions/${alice.username}`;
    expect((await fetch(sessions)).status).toBe(200);
    const more = Array.from({ length: 150 }, () => ask(stack.url, {}, "?mode=no-auth"));
    expect(new Set(await Promise.all(more))).toEqual(new Set([200, 429]));
  });
});

test("developer mode opens nothing if API callers are configured", async () => {
  await using stack = await startStack({ settings: { runtime: { developer_mode: true } }, services: ["admin"] });
  for (const headers of [{}, { authorization: "Basic bm86" }, { authorization: "Bearer bm86" }]) {
    expect((await fetch(`${stack.url}/api/v1/config/load`, { headers })).status).toBe(401);
  }
  expect(await ask(stack.url, {})).toBe(401);
  expect(await ask(stack.url, { authorization: "Basic bm86" })).toBe(401);
  expect((await askJson(stack.url, alice)).status).toBe(200);
});
