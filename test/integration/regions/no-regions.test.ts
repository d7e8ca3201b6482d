import { expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { startStack } from "../../support/stack.ts";

test("without regions, there is neither a key nor a connection of them", async () => {
  await using stack = await startStack({ redis: true, services: ["admin", "jobs-worker"] });
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    const bucket = { client_ip: "192.0.2.1" };
    for (const password of ["wrong-1", "wrong-2"]) await askJson(stack.url, { ...alice, ...bucket, password });
    await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } });
    expect(await redis.keys("*regions*")).toEqual([]);
    expect(await redis.keys("*risk:flushed*")).toEqual([]);
    expect(String(await redis.client("LIST"))).not.toContain("-state-worker");
  } finally {
    redis.disconnect();
  }
});
