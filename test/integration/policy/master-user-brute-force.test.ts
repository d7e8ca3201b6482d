import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

const bob = { username: "bob@example.test", password: "bob-demo-password" } as const;
const asMaster = `${alice.username}*${bob.username}`;

beforeAll(async () => {
  const bucket = { name: "net", period: "10m", cidr: 24, ipv4: true, ipv6: false, failed_requests: 5 };
  const words = {
    name: "banned",
    if: { attribute: "auth.brute_force.rule", eq: "net" },
    // oxlint-disable-next-line unicorn/no-thenable -- a key of the configuration is named so; it holds no function
    then: { decision: "deny", response_message: { from: "literal", text: "Too many failures" } },
  };
  stack = await startStack({
    redis: true,
    settings: {
      auth: {
        controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } },
        pipeline: { master_user: { enabled: true, users: [bob.username] } },
        policy: { policies: [words] },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

test("wrong passwords of a master user count for the master user, and a policy has a text for the ban", async () => {
  for (let guess = 0; guess < 8; guess += 1) {
    await askJson(stack.url, { ...alice, username: asMaster, password: `wrong-${guess}` });
  }
  const banned = await askJson(stack.url, { ...alice, username: bob.username, password: bob.password });
  expect([banned.status, banned.headers.get("auth-status")]).toEqual([403, "Too many failures"]);
  const elsewhere = { ...alice, client_ip: "198.51.100.9" };
  expect((await askJson(stack.url, elsewhere)).status).toBe(200);
});
