import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import { type Bus, connectBus } from "@postern/shared/platform/bus";
import type { RedisClient } from "@postern/shared/platform/redis";
import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const localTtlMs = 2000;
const oldPassword = alice.password;
const newPassword = "bob-demo-password";
/** Enough requests for both engines to serve some. */
const many = 12;

let stack: Stack;
let bus: Bus;
let redis: RedisClient;
let database: DatabaseSync;

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 2,
    redis: true,
    settings: {
      storage: { redis: { result_cache_timeout: "1s" } },
      auth: {
        pipeline: { local_cache_ttl: `${localTtlMs}ms` },
        backends: { order: ["cache", "sql"] },
      },
    },
  });
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  bus = await connectBus({ servers: [stack.nats.url], namespace: "postern", name: "test", logger });
  redis = await testRedis(stack.redis?.port ?? 0);
  database = new DatabaseSync(join(stack.folder, "directory.sqlite"));
  database.exec("CREATE TABLE kept AS SELECT username, password FROM users");
});
afterAll(async () => {
  database.close();
  redis.disconnect();
  await bus.close();
  await stack[Symbol.asyncDispose]();
});

interface Login {
  readonly password?: string;
  readonly query?: string;
  /** A value that gives a separate security context. */
  readonly from: string;
  readonly username?: string;
}

const login = ({ query, from, ...credentials }: Login) =>
  askJson(stack.url, { ...alice, ...credentials, client_ip: from }, { query });

/** The set of statuses of many logins. */
async function statuses(what: Login): Promise<readonly number[]> {
  const answers = await Promise.all(Array.from({ length: many }, () => login(what)));
  return [...new Set(answers.map(({ status }) => status))];
}

async function untilOnly(status: number, what: Login, timeoutMs = 5000): Promise<void> {
  await poll(`only ${status}`, async () => (await statuses(what)).every((one) => one === status), timeoutMs);
}

/** In both engines' memory. */
async function warm(what: Login): Promise<void> {
  await poll("hits only", async () => {
    const answers = await Promise.all(Array.from({ length: many }, () => login(what)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    return answers.every(({ headers }) => headers.get("x-service-memory-cache") === "Hit");
  });
}

/** Gives alice bob's hash, or restores hers. */
function setPassword(password: typeof oldPassword | typeof newPassword): void {
  const owner = password === newPassword ? "bob@example.test" : alice.username;
  database
    .prepare("UPDATE users SET password = (SELECT password FROM kept WHERE username = ?) WHERE username = ?")
    .run(owner, alice.username);
}

const flush = (user: string) => createAccountFlush({ redis, bus, keyPrefix: "postern:" })(user);

test("the second login is a hit, with the same body; another context is a miss", async () => {
  const first = await login({ from: "192.0.2.1" });
  expect([first.status, first.headers.get("x-service-memory-cache")]).toEqual([200, "Miss"]);
  await warm({ from: "192.0.2.1" });
  expect((await login({ from: "192.0.2.1" })).body).toBe(first.body);
  expect((await login({ from: "192.0.2.2" })).headers.get("x-service-memory-cache")).toBe("Miss");
});

test("a wrong password is denied although the right one is cached, and the right one is still accepted", async () => {
  await warm({ from: "192.0.2.3" });
  expect((await login({ from: "192.0.2.3", password: "wrong" })).status).toBe(403);
  await warm({ from: "192.0.2.3" });
});

test("in-memory=0 and cache=0 are respected, each for its cache", async () => {
  const from = "192.0.2.4";
  await warm({ from });
  const noMemory = await login({ from, query: "?in-memory=0" });
  expect([noMemory.status, noMemory.headers.get("x-service-memory-cache")]).toEqual([200, "Miss"]);
  try {
    setPassword(newPassword);
    expect(await statuses({ from, query: "?in-memory=0" })).toEqual([200]);
    expect(await statuses({ from, query: "?in-memory=0&cache=0" })).toEqual([403]);
    const before = await redis.dbsize();
    expect((await login({ from: "192.0.2.5", password: newPassword, query: "?cache=0" })).status).toBe(200);
    expect(await redis.dbsize()).toBe(before);
  } finally {
    setPassword(oldPassword);
    await flush(alice.username);
  }
});

test("a changed password is accepted immediately by both engines, and the old one is rejected after a flush", async () => {
  const from = "192.0.2.6";
  const elsewhere = "192.0.2.7";
  await warm({ from });
  await warm({ from: elsewhere });
  try {
    setPassword(newPassword);
    expect(await statuses({ from, password: newPassword })).toEqual([200]);
    expect(await statuses({ from: elsewhere })).toEqual([200]);
    const { removedKeys } = await flush(alice.username);
    expect(removedKeys.length).toBeGreaterThan(0);
    await untilOnly(403, { from: elsewhere }, localTtlMs / 2);
    expect(await statuses({ from })).toEqual([403]);
    expect(await statuses({ from, password: newPassword })).toEqual([200]);
  } finally {
    setPassword(oldPassword);
    await flush(alice.username);
  }
});

test("a flush by the account removes cached logins by another spelling of its name", async () => {
  const spelled = { from: "192.0.2.8", username: "Alice@Example.test" };
  await warm(spelled);
  try {
    setPassword(newPassword);
    await flush(alice.username);
    await untilOnly(403, spelled, localTtlMs / 2);
    expect(await statuses({ ...spelled, password: newPassword })).toEqual([200]);
  } finally {
    setPassword(oldPassword);
    await flush(alice.username);
  }
});

test("cached logins end after local_cache_ttl if the event of a flush is lost", async () => {
  const from = "192.0.2.9";
  await warm({ from });
  try {
    setPassword(newPassword);
    await createAccountFlush({ redis, bus: { publish: () => false }, keyPrefix: "postern:" })(alice.username);
    await untilOnly(403, { from }, localTtlMs + 1000);
    expect(await statuses({ from, password: newPassword })).toEqual([200]);
  } finally {
    setPassword(oldPassword);
    await flush(alice.username);
  }
});

test("Redis contains neither passwords nor attributes in plain text", async () => {
  await warm({ from: "192.0.2.10" });
  const content = await redisContent(redis);
  expect(content).toContain("postern:result:");
  expect(content).not.toContain(oldPassword);
  expect(content).not.toContain("Alice Example");
});

test("while Redis is stopped, decisions remain right and the memory cache works; results are shared again afterwards", async () => {
  const from = "192.0.2.11";
  await warm({ from });
  const server = stack.redis;
  if (server === undefined) throw new Error("no Redis");
  await pause(server);
  try {
    expect(await statuses({ from: "192.0.2.12" })).toEqual([200]);
    expect(await statuses({ from: "192.0.2.13", password: "wrong" })).toEqual([403]);
    await warm({ from: "192.0.2.12" });
    const metrics = await Promise.all(stack.engines.map((engine) => engine.metrics()));
    expect(metrics.join("\n")).toMatch(/service_result_cache_reads_total\{level="result",outcome="error"\} [1-9]/);
  } finally {
    server.signal("SIGCONT");
  }
  await poll("the shared cache", async () => {
    const before = await redis.dbsize();
    await login({ from: `192.0.2.${100 + (before % 100)}`, query: "?in-memory=0" });
    return (await redis.dbsize()) > before;
  });
});
