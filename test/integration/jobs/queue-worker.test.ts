import { createLazyQueue } from "@postern/shared/domain/jobs";
import { flushQueue } from "@postern/shared/platform/redis";
import { freePort, poll, spawnRedis } from "@postern/testing";
import { expect, test } from "vitest";
import { startQueueWorker } from "../../../services/jobs-worker/src/queues/queue-worker.ts";
import { blockingRedis, testRedis } from "../../support/redis-content.ts";

const keyPrefix = "postern:";

const ignore = (): void => undefined;

function startWorker(port: number, run: () => Promise<unknown>) {
  const redis = blockingRedis(port);
  const ended: string[] = [];
  const worker = startQueueWorker({
    redis,
    keyPrefix,
    queue: flushQueue,
    concurrency: 1,
    lockMs: 5000,
    stalledCheckMs: 2000,
    run,
    events: { ended: (_job, result) => void ended.push(result), retried: ignore, stalled: ignore, error: ignore },
  });
  return { redis, worker, ended };
}

test("a worker that never reached Redis closes without waiting for it", async () => {
  const { redis, worker } = startWorker(await freePort(), async () => undefined);
  await poll("an attempt to connect", () => redis.status === "reconnecting");
  await expect(worker.close()).resolves.toBeUndefined();
  redis.disconnect();
});

test("a worker whose Redis is gone closes when its running job has ended; with Redis, when the result is stored", async () => {
  await using server = await spawnRedis();
  const client = await testRedis(server.port);
  const queue = await createLazyQueue(flushQueue, { redis: client, keyPrefix, onError: () => undefined })();
  const started: string[] = [];
  const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = async (): Promise<void> => {
    started.push("a job");
    await holds[started.length - 1]?.promise;
  };

  const first = startWorker(server.port, run);
  await queue.add("one", {}, { attempts: 1 });
  await poll("the first job", () => started.length === 1);
  const closed = first.worker.close();
  holds[0]?.resolve();
  await closed;
  expect(first.ended).toEqual(["done"]);
  first.redis.disconnect();

  const second = startWorker(server.port, run);
  await queue.add("two", {}, { attempts: 1 });
  await poll("the second job", () => started.length === 2);
  await queue.close();
  client.disconnect();
  await server.stop();
  await poll("the end of the connection", () => second.redis.status !== "ready");
  const order: string[] = [];
  const closing = second.worker.close().then(() => order.push("closed"));
  // What a worker that waits for nothing does has happened after a turn of the event loop.
  await new Promise((resolve) => void setImmediate(resolve));
  order.push("the job ended");
  holds[1]?.resolve();
  await closing;
  expect(order).toEqual(["the job ended", "closed"]);
  second.redis.disconnect();
});
