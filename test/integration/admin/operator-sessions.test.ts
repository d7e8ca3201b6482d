import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFindOperator } from "../../../services/admin/src/operators/operator.ts";
import { proofMs, sessionIdleMs, sessionLifeMs } from "../../../services/admin/src/operators/operator-session.ts";
import {
  createOperatorSessions,
  type OperatorSessions,
} from "../../../services/admin/src/operators/operator-sessions-redis.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";

let server: RedisServer;
let redis: RedisClient;
let nowMs = 1_900_000_000_000;
let sessions: OperatorSessions;
let ofOtherReplica: OperatorSessions;

function replica(): OperatorSessions {
  const keys = createKeyRing([new Secret("a secret of a test, long enough")], "console");
  return createOperatorSessions({ redis, keyPrefix: "postern:", keys, clock: { now: () => nowMs } });
}

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
  sessions = replica();
  ofOtherReplica = replica();
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const signIn = (): Promise<string> =>
  sessions.create({
    account: "helen@example.test",
    role: "helpdesk",
    provedMs: nowMs,
    endMs: nowMs + sessionLifeMs,
  });

async function remainingOf(cookie: string): Promise<{ readonly key: string; readonly ms: number }> {
  const known = await redis.keys("postern:console:session:*");
  await sessions.find(cookie);
  const [key = ""] = known;
  return { key, ms: await redis.pttl(key) };
}

const operatorOf = (cookie: string) =>
  createFindOperator(
    ofOtherReplica,
    async (account) => ({ account, right: { role: "helpdesk" } }),
    () => false,
    {
      now: () => nowMs,
    },
  )({
    cookie,
    session: "s",
    clientIp: "192.0.2.1",
  });

test("a session ends 15 minutes after its last request, at every replica, and each request prolongs it", async () => {
  expect([sessionIdleMs, sessionLifeMs, proofMs]).toEqual([900_000, 28_800_000, 300_000]);
  await redis.flushall();
  const cookie = await signIn();
  const { key } = await remainingOf(cookie);
  await redis.pexpire(key, 60_000);
  expect(await ofOtherReplica.find(cookie)).toMatchObject({ account: "helen@example.test" });
  expect(await redis.pttl(key)).toBeGreaterThan(800_000);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(sessionIdleMs);
  await redis.pexpire(key, 1);
  await poll("the end of the session", async () => (await redis.exists(key)) === 0);
  expect(await ofOtherReplica.find(cookie)).toBeUndefined();
});

test("a session ends after eight hours, however often it is used", async () => {
  const cookie = await signIn();
  nowMs += sessionLifeMs - 1;
  expect(await ofOtherReplica.find(cookie)).toBeDefined();
  nowMs += 1;
  expect(await ofOtherReplica.find(cookie)).toBeUndefined();
  expect(await operatorOf(cookie)).toBe("none");
});

test("a sign-in permits actions that need the second factor for five minutes", async () => {
  const cookie = await signIn();
  nowMs += proofMs - 1;
  expect(await operatorOf(cookie)).toMatchObject({ isProved: true });
  nowMs += 1;
  expect(await operatorOf(cookie)).toMatchObject({ isProved: false, role: "helpdesk" });
});

test("neither the cookie nor the account can be read in Redis", async () => {
  const cookie = await signIn();
  const content = await redisContent(redis);
  expect(content).not.toContain(cookie);
  expect(content).not.toContain("helen");
});

test("a session remembers its last ten searches, encrypted, and a search neither revives nor outlives it", async () => {
  await redis.flushall();
  const cookie = await signIn();
  for (let count = 1; count <= 12; count += 1) await sessions.remember(cookie, `name-${count}@example.test`);
  await ofOtherReplica.remember(cookie, "name-7@example.test");
  const found = await sessions.find(cookie);
  expect(found?.searches).toEqual([7, 12, 11, 10, 9, 8, 6, 5, 4, 3].map((count) => `name-${count}@example.test`));
  expect(found).toMatchObject({ account: "helen@example.test", role: "helpdesk" });
  expect(await operatorOf(cookie)).toMatchObject({ searches: found?.searches });
  expect(await redisContent(redis)).not.toContain("name-7");
  await Promise.all([sessions.end(cookie), ofOtherReplica.remember(cookie, "late@example.test")]);
  await sessions.remember(cookie, "later@example.test");
  expect(await redis.keys("*")).toEqual([]);
});
