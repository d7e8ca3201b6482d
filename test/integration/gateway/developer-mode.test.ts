import { describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

const nobodyConfigured = { auth: { backchannel: { basic_auth: { enabled: false } } } };

async function ask(url: string, headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify(alice);
  const type = { "content-type": "application/json" };
  return (await fetch(`${url}/api/v1/auth/json`, { method: "POST", headers: { ...type, ...headers }, body })).status;
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

  test("developer mode opens the back channel, except the paths that require a role", async () => {
    await using stack = await startStack({
      settings: { ...nobodyConfigured, runtime: { developer_mode: true } },
      services: ["admin"],
    });
    expect(await ask(stack.url, {})).toBe(200);
    expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(403);
    const { status } = await fetch(`${stack.url}/api/v1/config/load`);
    const said = status === 403 ? [] : [...stack.services.values()].map((service) => service.output());
    expect({ status, said }).toEqual({ status: 403, said: [] });
  });
});

test("developer mode opens nothing if API callers are configured", async () => {
  await using stack = await startStack({ settings: { runtime: { developer_mode: true } } });
  expect(await ask(stack.url, {})).toBe(401);
  expect(await ask(stack.url, { authorization: "Basic bm86" })).toBe(401);
  expect((await askJson(stack.url, alice)).status).toBe(200);
});
