/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import { type Bus, connectBus } from "@postern/shared/platform/bus";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const many = 12;

/** Rules about the account behind a login, which must apply to a cached result too. */
const policy = {
  policies: [
    {
      name: "no pop3 for this directory",
      if: {
        all: [
          { attribute: "request.protocol", eq: "pop3" },
          { attribute: "auth.directory", eq: "sql" },
        ],
      },
      then: { decision: "deny" },
    },
    {
      name: "only displayed names",
      if: {
        all: [
          { attribute: "request.protocol", eq: "smtp" },
          { attribute: "auth.subject.attribute.displayName", contains: "Alice Example" },
        ],
      },
      then: { decision: "deny" },
    },
  ],
};

let stack: Stack;
let bus: Bus;
let redis: RedisClient;

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 2,
    redis: true,
    settings: {
      auth: { policy, pipeline: { local_cache_ttl: "30s" }, backends: { order: ["cache", "sql"] } },
    },
  });
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  bus = await connectBus({ servers: [stack.nats.url], namespace: "postern", name: "test", logger });
  redis = await testRedis(stack.redis?.port ?? 0);
});
afterAll(async () => {
  redis.disconnect();
  await bus.close();
  await stack[Symbol.asyncDispose]();
});

const login = (protocol: string) => askJson(stack.url, { ...alice, protocol });

async function hitsOnBothEngines(): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const counts = pages.map((page) =>
    Number(/^service_result_cache_reads_total\{level="memory",outcome="hit"\} (\d+)$/mu.exec(page)?.[1] ?? 0),
  );
  return Math.min(...counts);
}

/** The statuses until both engines answer from memory, and for a little longer. */
async function statusesUntilCached(protocol: string): Promise<readonly number[]> {
  const before = await hitsOnBothEngines();
  const seen = new Set<number>();
  await poll("hits in both engines", async () => {
    const answers = await Promise.all(Array.from({ length: many }, () => login(protocol)));
    for (const { status } of answers) seen.add(status);
    return (await hitsOnBothEngines()) > before;
  });
  return [...seen];
}

test.each(["pop3", "smtp"])(
  "%s: a denial by policy remains one when the login is cached, on both engines",
  async (protocol) => {
    expect(await statusesUntilCached(protocol)).toEqual([403]);
    await createAccountFlush({ redis, bus, keyPrefix: "postern:" })(alice.username);
    expect(await statusesUntilCached(protocol)).toEqual([403]);
  },
);

test("a login that no rule denies is accepted from the caches", async () => {
  expect(await statusesUntilCached("imap")).toEqual([200]);
});
