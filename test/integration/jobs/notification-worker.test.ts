import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createSentNotifications, type SentNotifications } from "@postern/shared/domain/history";
import { countNotifications, type NotificationJob } from "@postern/shared/domain/jobs";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { freePort, poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createNotificationQueue } from "../../../services/idp/src/user-notifications/notification-queue-redis.ts";
import { createDeliverNotification } from "../../../services/jobs-worker/src/user-notifications/deliver-notification.ts";
import {
  createNotificationWorker,
  type NotificationEvents,
  type NotificationWorker,
} from "../../../services/jobs-worker/src/user-notifications/notification-worker.ts";
import { blockingRedis, redisContent, testRedis } from "../../support/redis-content.ts";

const keyPrefix = "postern:";
const ringOf = (secret: string) => createKeyRing([new Secret(secret)], "notice");
const ring = ringOf("test-encryption-secret");
const notificationOf = (id: string): NotificationJob => ({ channel: "webhook", id, body: `{"id":"${id}"}` });

let owned: AsyncDisposableStack;
let server: RedisServer;
let redis: RedisClient;
beforeEach(async () => {
  owned = new AsyncDisposableStack();
  server = owned.use(await spawnRedis());
  redis = await testRedis(server.port);
  owned.defer(() => redis.disconnect());
});
afterEach(() => owned.disposeAsync());

/** Answers requests as the test specifies; the n-th request is the n-th attempt. */
async function startReceiver(listener: RequestListener): Promise<string> {
  const receiver = createServer(listener);
  const port = await freePort();
  receiver.listen(port, "127.0.0.1");
  await once(receiver, "listening");
  owned.defer(async () => {
    receiver.close();
    receiver.closeAllConnections();
    await once(receiver, "close");
  });
  return `http://127.0.0.1:${port}/hook`;
}

interface StartedWorker {
  readonly worker: NotificationWorker;
  readonly outcomes: readonly string[];
}

interface WorkerOptions {
  readonly keys?: typeof ring;
  readonly sent?: SentNotifications;
  readonly finishMs?: number;
}

function startWorker(url: string, { keys = ring, sent, finishMs = 60_000 }: WorkerOptions = {}): StartedWorker {
  const outcomes: string[] = [];
  const events: NotificationEvents = {
    ended: ({ id, name: channel }, result) => void outcomes.push(`${id} ${channel} ${result}`),
    retried: ({ id, name: channel }) => void outcomes.push(`${id} ${channel} retried`),
    stalled: (id) => void outcomes.push(`${id} stalled`),
    error: () => undefined,
  };
  const waiting = blockingRedis(server.port);
  const webhook = { url, secret: new Secret("a-secret-of-webhooks-0123456789"), timeoutMs: 30_000 };
  const deliver = createDeliverNotification({ webhook, mail: undefined }, systemClock);
  const worker = createNotificationWorker({
    redis: waiting,
    keyPrefix,
    keys,
    concurrency: 4,
    deliver,
    events,
    sent,
    nowMs: () => systemClock.now(),
    finishMs,
  });
  owned.defer(async () => {
    await worker.close();
    waiting.disconnect();
  });
  return { worker, outcomes };
}

const queue = () =>
  createNotificationQueue({
    redis,
    keyPrefix,
    keys: ring,
    maxQueued: 100,
    timeoutMs: 5000,
    onError: () => undefined,
  });
const add = (...ids: readonly string[]): Promise<void> => queue().add(ids.map(notificationOf));

test("200 is delivered, 410 is given up immediately, 503 is retried; nothing of them remains in Redis", async () => {
  const attempts: Record<string, number> = {};
  const url = await startReceiver((request, response) => {
    const id = String(request.headers["webhook-id"]);
    attempts[id] = (attempts[id] ?? 0) + 1;
    const statuses: Readonly<Record<string, number>> = { good: 200, gone: 410, late: attempts[id] === 1 ? 503 : 200 };
    response.writeHead(statuses[id] ?? 500).end();
  });
  await add("good", "gone", "late");
  const { outcomes } = startWorker(url);
  await poll("all to end", () => outcomes.filter((line) => /delivered|failed/.test(line)).length === 3);
  expect(outcomes.toSorted()).toEqual([
    "gone-webhook webhook failed",
    "good-webhook webhook delivered",
    "late-webhook webhook delivered",
    "late-webhook webhook retried",
  ]);
  expect(attempts).toEqual({ good: 1, gone: 1, late: 2 });
  expect(await countNotifications(redis, keyPrefix)).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  expect(await redisContent(redis)).not.toMatch(/(good|gone|late)-webhook \{/);
});

test("what was sent to an account is recorded for operators, encrypted, with an end, and at most twenty of them", async () => {
  const url = await startReceiver((request, response) => {
    response.writeHead(request.headers["webhook-id"] === "n-0" ? 410 : 200).end();
  });
  const sent = createSentNotifications({ redis, keyPrefix, keys: createKeyRing([new Secret("s")], "sent-notice") });
  const about = { account: "alice@example.test", event: "new_device" };
  await queue().add([{ ...notificationOf("n-0"), ...about }, notificationOf("of-an-older-idp")]);
  const { outcomes } = startWorker(url, { sent });
  await poll("the first record", async () => (await sent.list("Alice@example.test")).length === 1);
  expect(await sent.list(about.account)).toEqual([
    { id: "n-0", event: "new_device", channel: "webhook", outcome: "failed", timeMs: expect.any(Number) },
  ]);
  await queue().add(Array.from({ length: 25 }, (_none, index) => ({ ...notificationOf(`n-${index + 1}`), ...about })));
  await poll("all deliveries", () => outcomes.length === 27);
  await poll("all records", async () => (await sent.list(about.account)).length === 20);
  const [key = ""] = await redis.keys(`${keyPrefix}notices:sent:*`);
  expect(key).not.toContain("alice");
  expect(await redis.ttl(key)).toBeGreaterThan(29 * 86_400);
  expect((await redis.lrange(key, 0, -1)).join()).not.toMatch(/alice|new_device/u);
});

test("one that another key encrypted is given up and never sent", async () => {
  let requests = 0;
  const url = await startReceiver((_request, response) => {
    requests += 1;
    response.end();
  });
  await add("sealed");
  const { outcomes } = startWorker(url, { keys: ringOf("another-encryption-secret") });
  await poll("the end", () => outcomes.length > 0);
  expect(outcomes).toEqual(["sealed-webhook webhook failed"]);
  expect(requests).toBe(0);
});

test("a notification that arrives while workers close is delivered once, by the one that remains", async () => {
  const seen: string[] = [];
  const url = await startReceiver((request, response) => {
    seen.push(String(request.headers["webhook-id"]));
    response.end();
  });
  const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`);
  for (const id of ids) {
    const { worker } = startWorker(url);
    await add(id);
    await worker.close();
  }
  startWorker(url);
  await poll("every notification is delivered", async () => {
    const { waiting, active } = await countNotifications(redis, keyPrefix);
    return waiting + active === 0;
  });
  expect(seen.toSorted()).toEqual(ids.toSorted());
});

test("closing lets a delivery that is answered in time finish, and starts no other", async () => {
  const received = Promise.withResolvers<ServerResponse>();
  const seen: string[] = [];
  const url = await startReceiver((request, response) => {
    seen.push(String(request.headers["webhook-id"]));
    received.resolve(response);
  });
  await add("slow");
  const { worker, outcomes } = startWorker(url);
  const response = await received.promise;
  const closed = worker.close();
  response.end();
  await add("later");
  await closed;
  expect(outcomes).toEqual(["slow-webhook webhook delivered"]);
  expect(seen).toEqual(["slow"]);
  expect(await countNotifications(redis, keyPrefix)).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
});

test("closing aborts a delivery that hangs; another worker repeats it, with the same id", async () => {
  const received = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const seen: string[] = [];
  const url = await startReceiver((request, response) => {
    seen.push(String(request.headers["webhook-id"]));
    if (seen.length > 1) {
      response.end();
      return;
    }
    response.on("close", gone.resolve);
    received.resolve();
  });
  await add("hanging");
  const first = startWorker(url, { finishMs: 100 });
  await received.promise;
  await first.worker.close();
  await gone.promise;
  expect(first.outcomes).toEqual(["hanging-webhook webhook retried"]);
  const second = startWorker(url);
  await poll("the delivery", () => second.outcomes.length > 0);
  expect(second.outcomes).toEqual(["hanging-webhook webhook delivered"]);
  expect(seen).toEqual(["hanging", "hanging"]);
});
