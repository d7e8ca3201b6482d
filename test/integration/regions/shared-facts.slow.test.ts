import { ChangeMarks } from "@postern/shared/domain/regions";
import { createRiskNames, createRiskReviews, createRiskStore, riskSettings } from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { changedFactsKey, type RedisClient } from "@postern/shared/platform/redis";
import { systemClock as clock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startJoinedSites } from "../../support/joined-sites.ts";
import { testRedis } from "../../support/redis-content.ts";
import { runOperator } from "../../support/run-operator.ts";
import type { Stack } from "../../support/stack.ts";
import { passwordNonce } from "../../support/stack-config.ts";

const owned = new AsyncDisposableStack();
let east: Stack;
let west: Stack;
let redisOfEast: RedisClient;
let redisOfWest: RedisClient;

const risk = {
  mode: "enforce",
  learn_for: "0s",
  known_after: "0s",
  weights: { new_source: 60 },
  suspicious: { score: 50, responses: ["deny"] },
};

beforeAll(async () => {
  const settings = { auth: { controls: { enabled: ["brute_force"] }, risk } };
  const joined = owned.use(await startJoinedSites(["east", "west"], () => ({ settings })));
  const [first, second] = joined.sites;
  if (first === undefined || second === undefined) throw new Error("there are no two sites");
  [east, west] = [first, second];
  const clients = [await testRedis(east.redis?.port ?? 0), await testRedis(west.redis?.port ?? 0)] as const;
  [redisOfEast, redisOfWest] = clients;
  owned.defer(() => clients.forEach((client) => client.disconnect()));
});

afterAll(() => owned.disposeAsync());

const statusAt = async ({ url }: Stack, clientIp: string): Promise<number> =>
  (await askJson(url, { ...alice, client_ip: clientIp })).status;

const has = async (redis: RedisClient, kind: "account" | "review"): Promise<boolean> =>
  (await redis.keys(`*risk:${kind}:*`)).length > 0;

/** What idp uses. */
function reviewsOf(redis: RedisClient) {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  const { prefix: keyPrefix } = loaded.config.storage.redis;
  const settings = riskSettings({ ...loaded.config.auth.risk, known_after: 0 });
  const store = createRiskStore(redis, 5000, new ChangeMarks(redis, keyPrefix, changedFactsKey));
  return createRiskReviews({
    store,
    names: createRiskNames(passwordNonce),
    keyPrefix,
    settings: () => settings,
    clock,
  });
}

test("what an account does in one region is known in the other one: its networks, what is suspicious, the user's answer, and a flush", async () => {
  const [home, abroad] = ["192.0.2.10", "198.51.100.10"];
  expect(await statusAt(east, home)).toBe(200);
  await poll("the facts in west", () => has(redisOfWest, "account"));
  expect(await statusAt(west, home)).toBe(200);
  expect(await statusAt(west, abroad)).toBe(403);
  await poll("the suspicious sign-in in east", () => has(redisOfEast, "review"));
  expect(await statusAt(east, abroad)).toBe(403);
  const reviews = reviewsOf(redisOfWest);
  const [{ network } = { network: "" }] = await reviews.list(alice.username);
  expect(await reviews.confirm(alice.username, network, "")).toBe(true);
  await poll("the end of the review in east", async () => !(await has(redisOfEast, "review")));
  expect(await statusAt(east, abroad)).toBe(200);
  expect((await runOperator(west.url, ["flush", alice.username])).code).toBe(0);
  await poll("the flush in east", async () => !(await has(redisOfEast, "account")));
});
