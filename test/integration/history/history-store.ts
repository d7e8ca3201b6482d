import { createDecisionHistory, createHistoryWriter, type DecisionBatch } from "@postern/shared/domain/history";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { createRedisClient, type RedisClient, type RedisTopology } from "@postern/shared/platform/redis";
import { spawnRedis } from "@postern/testing";
import { expect } from "vitest";

export const nowMs = Date.parse("2030-05-06T13:30:00Z");
export const keyPrefix = "postern:";
export const limits = {
  lifeSeconds: 604_800,
  countsSeconds: 2_592_000,
  perAccount: 5,
  perNetwork: 10,
  maxAccounts: 640,
  maxNetworks: 640,
};
export const lives = {
  lifeMs: limits.lifeSeconds * 1000,
  countsMs: limits.countsSeconds * 1000,
  recordsOfOne: 50,
};
/** A list that is full is cut by a quarter. */
export const isFull = (length: number, max: number): boolean => length <= max && length >= max - Math.floor(max / 4);
export const keys = createKeyRing([new Secret("test-encryption-secret-of-no-worth")], "decision-history");

export async function connect(topology: RedisTopology): Promise<RedisClient> {
  const client = createRedisClient(
    {
      topology,
      database: 0,
      username: undefined,
      password: undefined,
      tls: undefined,
      connectTimeoutMs: 5000,
      commandTimeoutMs: 5000,
      maxRetries: 1,
      connectionName: "test",
    },
    () => undefined,
  );
  if (client.status !== "ready") await new Promise((resolve) => client.once("ready", resolve));
  return client;
}

export type Run = DecisionBatch["runs"][number];

export const run = (fields: Partial<Run> = {}): Run => ({
  timeMs: nowMs,
  firstMs: nowMs,
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: "alice@example.test",
  username: "alice@example.test",
  clientIp: "203.0.113.9",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "7d3f91ac-20b4-4444-8888-000000000000",
  ...fields,
});
export const denied = (fields: Partial<Run>): Run => run({ outcome: "denied", reason: "wrong_password", ...fields });

/** A Redis of its own, and what engines and admin do with it. */
export async function startHistory() {
  const redisServer = await spawnRedis();
  const redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: redisServer.port } });
  const writer = createHistoryWriter({ redis, keyPrefix, keys, limits, instance: "engine-1" });
  const history = createDecisionHistory({ redis, keyPrefix, keys, ...lives, nowMs: () => nowMs });
  const write = async (runs: readonly Run[], atMs = nowMs): Promise<void> => {
    const referred = runs.filter(({ outcome }) => outcome !== "ok");
    expect(await writer({ runs, referred, traffic: [], failingNetworks: [] }, atMs)).toBe(0);
  };
  return {
    redis,
    writer,
    history,
    write,
    stop: async (): Promise<void> => {
      redis.disconnect();
      await redisServer[Symbol.asyncDispose]();
    },
  };
}
