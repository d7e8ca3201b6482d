import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

test("a disabled JSON endpoint and metrics that are not enabled are 404, for right, wrong and no callers alike", async () => {
  await using stack = await startStack({
    settings: {
      runtime: { servers: { http: { disabled_endpoints: { auth_json: true } } } },
      observability: { metrics: { endpoint_enabled: false } },
    },
  });
  for (const authorization of [undefined, "Basic bm86", "Bearer x"]) {
    const headers = authorization === undefined ? {} : { authorization };
    const started = performance.now();
    const answer = await askJson(stack.url, alice, { headers });
    expect([answer.status, answer.body, answer.headers.get("auth-status")]).toEqual([404, "", null]);
    expect(performance.now() - started).toBeLessThan(290);
  }
  expect((await fetch(`${stack.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${stack.url}/ping`)).status).toBe(200);
});
