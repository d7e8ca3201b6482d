import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { settledOrder } from "../../support/settled-order.ts";
import { startStack } from "../../support/stack.ts";

test("a disabled JSON endpoint and disabled metrics answer 404 with right, wrong and no credentials", async () => {
  await using stack = await startStack({
    settings: {
      runtime: { servers: { http: { disabled_endpoints: { auth_json: true } } } },
      observability: { metrics: { endpoint_enabled: false } },
    },
  });
  for (const authorization of [undefined, "Basic bm86", "Bearer x"]) {
    const headers = authorization === undefined ? {} : { authorization };
    const wrong = { authorization: "Basic eDp5" };
    const rejected = fetch(`${stack.url}/api/v1/auth/header`, { method: "POST", headers: wrong });
    const disabled = askJson(stack.url, alice, { headers });
    // No API caller is authenticated, so no response is delayed.
    expect(await settledOrder({ rejected, disabled })).toEqual(["disabled", "rejected"]);
    const answer = await disabled;
    expect([answer.status, answer.body, answer.headers.get("auth-status")]).toEqual([404, "", null]);
    expect((await rejected).status).toBe(401);
  }
  expect((await fetch(`${stack.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${stack.url}/ping`)).status).toBe(200);
});
