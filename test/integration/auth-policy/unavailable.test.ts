import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askPolicy, policyClient } from "../../support/auth-policy.ts";
import type { Stack } from "../../support/stack.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";
import { startPolicyStack } from "./settings.ts";

let stack: Stack;
let client: ReturnType<typeof policyClient>;

beforeAll(async () => {
  stack = await startPolicyStack(redisGivenUpSoon);
  client = policyClient(stack.url);
});

afterAll(() => stack[Symbol.asyncDispose]());

const network = (index: number) => `198.51.100.${index}`;

test("without Redis no client is rejected by mistake, and each engine counts on its own", async () => {
  stack.redis?.signal("SIGSTOP");
  await poll("both engines to detect that Redis is unavailable", async () => {
    await Promise.all([1, 2, 3, 4].map((index) => client.allow({ remote: network(index) })));
    const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
    return pages.every((page) => page.includes("service_brute_force_redis_away 1"));
  });
  expect((await client.success({ remote: network(1) })).status).toBe("ok");
  expect(await client.statusOf({ remote: network(1) })).toBe(0);
  await client.guess({ remote: network(9) }, 40);
  const statuses = new Set(
    await Promise.all(Array.from({ length: 10 }, () => client.statusOf({ remote: network(9) }))),
  );
  expect(statuses).toEqual(new Set([-1]));
  expect(await askPolicy(stack.url, "reset", { ip: network(9) })).toMatchObject({
    http: 500,
    body: { status: "failure" },
  });
  stack.redis?.signal("SIGCONT");
});

test("without an engine the answer is an error, never a rejection", async () => {
  await Promise.all(stack.engines.map((engine) => engine.stop()));
  for (const command of ["allow", "report"]) {
    const answer = await askPolicy(stack.url, command, { login: "a", remote: network(1), success: true });
    expect(answer).toMatchObject({ http: 500, status: "failure" });
  }
  await poll("the gateway to notice", async () => (await askPolicy(stack.url, "ping", undefined)).http === 500);
});

test("a disabled endpoint answers 404 to every caller, and a reload is enough", async () => {
  await stack.reloadGateway({
    runtime: { servers: { http: { auth_policy_endpoint: false } } },
    // Without the endpoint, a list without backends is refused.
    auth: { backends: { order: ["sql"] } },
  });
  await poll("the endpoint to be disabled", async () => (await askPolicy(stack.url, "ping", undefined)).http === 404);
  expect((await askPolicy(stack.url, "allow", {}, null)).http).toBe(404);
});
