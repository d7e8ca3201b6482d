import { flushesFromConfig, flushSettings } from "@postern/shared/assembly";
import { nameDigest } from "@postern/shared/domain/account-epoch";
import { countJobs, createLazyQueue, type FlushJob } from "@postern/shared/domain/jobs";
import { createRiskNames } from "@postern/shared/domain/risk";
import type { Bus } from "@postern/shared/platform/bus";
import { loadConfig } from "@postern/shared/platform/config";
import { fromUnknown } from "@postern/shared/platform/errors";
import { flushQueue, loginNameKey, type RedisClient, riskAccountKey } from "@postern/shared/platform/redis";
import { type NatsServer, poll, type RedisServer, spawnNats, spawnRedis } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createJobQueue } from "../../../services/admin/src/jobs/job-queue-redis.ts";
import { createJobStatus } from "../../../services/admin/src/jobs/job-status-redis.ts";
import { createJobWorker } from "../../../services/jobs-worker/src/flush-jobs/job-worker.ts";
import { createFoundKeys } from "../../../services/jobs-worker/src/flush-jobs/run-flush-job.ts";
import { takeAndDie } from "../../../services/jobs-worker/src/queues/testing/dead-worker.ts";
import { blockingRedis, redisContent, testRedis } from "../../support/redis-content.ts";
import { makeBus } from "../bus/bus-fixture.ts";

const keyPrefix = "postern:";
const retentionMs = 3_600_000;
const rule = { name: "wide", period: "10m", ban_time: "10m", failed_requests: 3, cidr: 24, ipv4: true };
const tree = {
  auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [rule] } } },
  storage: { redis: { password_nonce: "a-nonce-of-passwords-0123456789" } },
};

let owned: AsyncDisposableStack;
let queueServer: RedisServer;
let stateServer: RedisServer;
let nats: NatsServer;
let queue: RedisClient;
let state: RedisClient;
let bus: Bus;

beforeEach(async () => {
  owned = new AsyncDisposableStack();
  queueServer = owned.use(await spawnRedis());
  stateServer = owned.use(await spawnRedis());
  nats = owned.use(await spawnNats());
  queue = await testRedis(queueServer.port);
  state = await testRedis(stateServer.port);
  owned.defer(() => {
    queue.disconnect();
    state.disconnect();
  });
  bus = owned.adopt(await makeBus(nats.url), (created) => created.drain());
});
afterEach(() => owned.disposeAsync());

function flushes() {
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  // The site has a backend whose search is for imap.
  const settings = { ...flushSettings(loaded.config), protocols: ["imap"] };
  return flushesFromConfig(loaded.config, { state, cache: state, bus, live: () => settings });
}

/** Results in order: `done`, `failed`, or the code of a run that is repeated. */
function startWorker(): readonly string[] {
  const outcomes: string[] = [];
  const waiting = blockingRedis(queueServer.port);
  const worker = createJobWorker({
    redis: waiting,
    keyPrefix,
    concurrency: 2,
    flushes: flushes(),
    foundKeys: createFoundKeys(queue, keyPrefix),
    events: {
      ended: ({ name: type }, result, seconds) =>
        void outcomes.push(`${type} ${result}${seconds < 0 ? " before it began" : ""}`),
      retried: ({ name: type }, error) => void outcomes.push(`${type} ${fromUnknown(error).code}`),
      stalled: (id) => void outcomes.push(`${id} stalled`),
      error: () => undefined,
    },
  });
  owned.defer(async () => {
    await worker.close();
    waiting.disconnect();
  });
  return outcomes;
}

const enqueue = (job: FlushJob): Promise<string> =>
  createJobQueue({
    redis: queue,
    keyPrefix,
    retentionMs,
    maxQueued: 100,
    timeoutMs: 5000,
    onError: () => undefined,
  }).enqueue(job);
const read = (jobId: string) => createJobStatus(queue, keyPrefix, retentionMs)(jobId);

/** No version of Postern enqueues such a job: it has other names, other data and fewer attempts. */
async function enqueueRaw(name: string, data: unknown): Promise<string> {
  const raw = await createLazyQueue(flushQueue, { redis: queue, keyPrefix, onError: () => undefined })();
  const jobId = crypto.randomUUID();
  await raw.add(name, data, { jobId, attempts: 1 });
  await raw.close();
  return jobId;
}

/** A ban and its count, as engines write them. */
async function seedBan(network: string): Promise<void> {
  const place = `${keyPrefix}bf:{${network}}`;
  const now = Date.now();
  await state.set(`${place}:ban:wide:${network}`, `${now} ${now + 600_000} ${network} wide`, "PX", 600_000);
  await state.set(`${place}:count:wide:${network}`, "1", "PX", 600_000);
}

const ofBans: FlushJob = { type: "BF_FLUSH", request: { ip_address: "10.1.2.7", rule_name: "*" } };

test("a flush removes the keys, reports how many, and leaves no list of found keys", async () => {
  await seedBan("10.1.2.0/24");
  const jobId = await enqueue(ofBans);
  expect(await read(jobId)).toMatchObject({ status: "QUEUED", resultCount: 0 });
  expect(await countJobs(queue, keyPrefix)).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
  const outcomes = startWorker();
  await poll("the end", () => outcomes.length > 0);
  expect(outcomes).toEqual(["BF_FLUSH done"]);
  expect(await read(jobId)).toMatchObject({ status: "DONE", type: "BF_FLUSH", resultCount: 2, error: "" });
  expect(await redisContent(state)).not.toContain("10.1.2.0/24");
  await poll("the list to be gone", async () => (await queue.keys("*found*")).length === 0);
});

test("a job is retried while Redis is unavailable for its flush, and done when it returns", async () => {
  const jobId = await enqueue(ofBans);
  const { port } = stateServer;
  await stateServer.stop();
  const outcomes = startWorker();
  await poll("a run that failed", () => outcomes.length > 0);
  expect(outcomes[0]).toBe("BF_FLUSH REDIS_UNAVAILABLE");
  expect(await read(jobId)).toMatchObject({ status: "QUEUED", error: "" });
  stateServer = owned.use(await spawnRedis({ port }));
  await poll("the end", () => outcomes.at(-1) === "BF_FLUSH done");
  expect(await read(jobId)).toMatchObject({ status: "DONE", resultCount: 0, error: "" });
});

test("while no engine can resolve the name, the flush is retried twice, and then done without the backends", async () => {
  const jobId = await enqueue({ type: "CACHE_FLUSH", request: { user: "alice@example.test" } });
  const outcomes = startWorker();
  await poll("the end", () => outcomes.includes("CACHE_FLUSH done"));
  expect(outcomes).toEqual([
    "CACHE_FLUSH UPSTREAM_UNAVAILABLE",
    "CACHE_FLUSH UPSTREAM_UNAVAILABLE",
    "CACHE_FLUSH done",
  ]);
  expect(await read(jobId)).toMatchObject({ status: "DONE", type: "CACHE_FLUSH" });
});

test("the last attempt fails permanently: ERROR with a message for callers, without internal details", async () => {
  await stateServer.stop();
  const jobId = await enqueueRaw("BF_FLUSH", ofBans.request);
  const outcomes = startWorker();
  await poll("the end", () => outcomes.length > 0);
  expect(outcomes).toEqual(["BF_FLUSH failed"]);
  expect(await read(jobId)).toMatchObject({
    status: "ERROR",
    error: "Temporary server problem, try again later",
    resultCount: 0,
  });
});

test.each([
  ["an unknown kind", "REBOOT", { user: "alice" }],
  ["a request of another form", "CACHE_FLUSH", { user: "a*" }],
  ["no request", "BF_FLUSH", "text"],
])("%s is not run, and not retried", async (_what, name, data) => {
  await seedBan("10.1.2.0/24");
  const jobId = await enqueueRaw(name, data);
  const outcomes = startWorker();
  await poll("the end", () => outcomes.length > 0);
  expect(outcomes).toEqual([`${name} failed`]);
  expect(await read(jobId)).toMatchObject({ status: "ERROR", error: "the job cannot be read" });
  expect(await redisContent(state)).toContain("10.1.2.0/24");
});

test("a job whose worker died is queued again, and another worker completes it and counts it once", async () => {
  await seedBan("10.1.2.0/24");
  const jobId = await enqueue(ofBans);
  const connection = blockingRedis(queueServer.port);
  await takeAndDie(connection, keyPrefix, flushQueue);
  connection.disconnect();
  expect(await countJobs(queue, keyPrefix)).toMatchObject({ waiting: 0, active: 1 });
  const outcomes = startWorker();
  await poll("the end", () => outcomes.includes("BF_FLUSH done"));
  expect(outcomes).toEqual([`${jobId} stalled`, "BF_FLUSH done"]);
  expect(await read(jobId)).toMatchObject({ status: "DONE", resultCount: 2, error: "" });
  expect(await countJobs(queue, keyPrefix)).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
});

test("a job that another worker began counts what that one had found and removed", async () => {
  await seedBan("10.1.2.0/24");
  const jobId = await enqueue(ofBans);
  const place = `${keyPrefix}bf:{10.1.2.0/24}`;
  const found = [`${place}:ban:wide:10.1.2.0/24`, `${place}:count:wide:10.1.2.0/24`];
  await createFoundKeys(queue, keyPrefix).keep(jobId, { cache: [], state: found });
  await state.del(found[0] ?? "");
  const outcomes = startWorker();
  await poll("the end", () => outcomes.length > 0);
  expect(await read(jobId)).toMatchObject({ status: "DONE", resultCount: 2 });
});

test("while no engine can resolve the name, a flush erases the facts about the account to which a cached result leads", async () => {
  const names = createRiskNames(tree.storage.redis.password_nonce);
  const facts = riskAccountKey.build(keyPrefix, names.account("alice@example.test"));
  await state.set(facts, "facts", "EX", 600);
  await state.set(loginNameKey.build(keyPrefix, nameDigest("alice")), "alice@example.test", "EX", 600);
  const { removedKeys } = await flushes().cache({ user: "alice" });
  expect(removedKeys).toContain(facts);
  expect(await state.exists(facts)).toBe(0);
});
