import { pause, poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { enqueue, jobOf, resultOf, untilEnded } from "./follow-job.ts";

type Gateway = Pick<Stack, "url">;

let stack: Stack;
let queue: RedisServer;
/** Each forwards to an admin of its own. */
let gateways: readonly Gateway[];
let workers: readonly ServiceProcess[];

const flush = { ip_address: "192.0.2.1", rule_name: "*" };
const path = "/api/v1/bruteforce/flush";

beforeAll(async () => {
  queue = await spawnRedis();
  stack = await startStack({
    shape: "five",
    engines: 0,
    redis: true,
    services: ["admin"],
    settings: {
      runtime: { jobs: { retention: "1s" } },
      storage: { redis: { write_timeout: "500ms", roles: { queue: { url: queue.url } } } },
      auth: { controls: { brute_force: { buckets: [{ name: "one", cidr: 32, ipv4: true, failed_requests: 3 }] } } },
    },
  });
  const [admin, ...started] = await Promise.all([
    stack.startReplica("admin"),
    stack.start("jobs-worker"),
    stack.start("jobs-worker"),
  ]);
  workers = started;
  gateways = [stack, await stack.startReplica("gateway", { SERVICE_RUNTIME_SERVICES_ADMIN_URL: admin.url })];
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await queue[Symbol.asyncDispose]();
});

async function statusOf(gateway: Gateway, method: string, at: string): Promise<number> {
  return (await askAdmin(gateway, method, at, method === "GET" ? {} : { body: flush })).status;
}

/** The end of the next job at each gateway, once jobs are accepted again. */
async function expectNextDone(): Promise<void> {
  for (const gateway of gateways) {
    const isTaken = async (): Promise<boolean> => (await statusOf(gateway, "DELETE", `${path}/async`)) === 202;
    await poll("jobs to be accepted again", isTaken);
    expect(await untilEnded(gateway, await enqueue(gateway, flush))).toMatchObject({ status: "DONE", error: "" });
  }
}

test("while the queue's Redis hangs, both admins answer jobs with 500, never 202, and synchronous flushes still work", async () => {
  const jobId = await enqueue(stack, flush);
  await untilEnded(stack, jobId);
  await pause(queue);
  try {
    const statuses = await Promise.all(
      gateways.flatMap((gateway) => [
        ...Array.from({ length: 10 }, () => statusOf(gateway, "DELETE", `${path}/async`)),
        statusOf(gateway, "GET", `/api/v1/async/jobs/${jobId}`),
      ]),
    );
    expect(statuses).toEqual(statuses.map(() => 500));
    for (const gateway of gateways) {
      expect(await statusOf(gateway, "DELETE", path)).toBe(200);
      const { status } = await askAdmin(gateway, "DELETE", "/api/v1/cache/flush", { body: { user: "nobody" } });
      expect(status).toBe(200);
    }
  } finally {
    queue.signal("SIGCONT");
  }
  await expectNextDone();
});

test("after the queue's Redis was killed and returned empty, both admins accept jobs again, and they are run", async () => {
  const { port } = queue;
  queue.signal("SIGKILL");
  await queue.stop();
  for (const gateway of gateways) expect(await statusOf(gateway, "DELETE", `${path}/async`)).toBe(500);
  queue = await spawnRedis({ port });
  await expectNextDone();
});

/** How many runs of jobs each worker has seen fail, and tries again. */
const retried = (): Promise<readonly number[]> =>
  Promise.all(
    workers.map(async (worker) =>
      Number(/jobs_retried_total\{type="BF_FLUSH"\} (\d+)/.exec(await worker.metrics())?.[1] ?? 0),
    ),
  );

test("while the Redis with the keys hangs, synchronous flushes are answered with 500, and jobs of both workers are completed when it is back", async () => {
  const before = await retried();
  const { redis } = stack;
  if (redis === undefined) throw new Error("there is no Redis");
  await pause(redis);
  const jobs: { readonly gateway: Gateway; readonly jobId: string }[] = [];
  try {
    const statuses = await Promise.all(gateways.map((gateway) => statusOf(gateway, "DELETE", path)));
    expect(statuses).toEqual([500, 500]);
    await poll("a failed run by each worker", async () => {
      const failed = await retried();
      if (failed.every((count, index) => count > (before[index] ?? 0))) return true;
      for (const gateway of gateways) jobs.push({ gateway, jobId: await enqueue(gateway, flush) });
      return false;
    });
    for (const { gateway, jobId } of jobs) {
      expect(["QUEUED", "INPROGRESS"]).toContain(resultOf((await jobOf(gateway, jobId)).body)["status"]);
    }
  } finally {
    redis.signal("SIGCONT");
  }
  const ends = await Promise.all(jobs.map(({ gateway, jobId }) => untilEnded(gateway, jobId, 60_000)));
  for (const end of ends) expect(end).toMatchObject({ status: "DONE", error: "" });
});

test("a record expires: 404 after its retention", async () => {
  const jobId = await enqueue(stack, flush);
  await untilEnded(stack, jobId);
  expect(await poll("a response with 404", async () => (await jobOf(stack, jobId)).status === 404)).toBe(true);
});

test("without an engine, a flush by name reports that no backend could be queried", async () => {
  const { status, body } = await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: "alice" } });
  expect([status, resultOf(body)["status"]]).toEqual([200, expect.stringMatching(/^not flushed; no backend/u)]);
});
