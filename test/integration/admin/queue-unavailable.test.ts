import { poll, type RedisServer, spawnRedis } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { enqueue, jobOf, resultOf, untilEnded } from "./follow-job.ts";

let stack: Stack;
let queue: RedisServer;

const flush = { ip_address: "192.0.2.1", rule_name: "*" };
const path = "/api/v1/bruteforce/flush";

beforeAll(async () => {
  queue = await spawnRedis();
  stack = await startStack({
    engines: 0,
    redis: true,
    services: ["admin", "jobs-worker"],
    settings: {
      runtime: { jobs: { retention: "1s" } },
      storage: { redis: { write_timeout: "500ms", roles: { queue: { url: queue.url } } } },
      auth: { controls: { brute_force: { buckets: [{ name: "one", cidr: 32, ipv4: true, failed_requests: 3 }] } } },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await queue[Symbol.asyncDispose]();
});

async function timedRequest(method: string, at: string): Promise<{ readonly status: number; readonly ms: number }> {
  const started = performance.now();
  const { status } = await askAdmin(stack, method, at, method === "GET" ? {} : { body: flush });
  return { status, ms: performance.now() - started };
}

async function isTaken(): Promise<boolean> {
  return (await timedRequest("DELETE", `${path}/async`)).status === 202;
}

/** The status of the next job, once jobs are accepted again. */
async function endOfNext(): Promise<unknown> {
  await poll("jobs to be accepted again", isTaken, 20_000);
  return (await untilEnded(stack, await enqueue(stack, flush)))["status"];
}

test("while the queue's Redis hangs, jobs are answered with 500, never 202, and synchronous flushes still work", async () => {
  const jobId = await enqueue(stack, flush);
  await untilEnded(stack, jobId);
  queue.signal("SIGSTOP");
  try {
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => timedRequest("DELETE", `${path}/async`)),
      timedRequest("GET", `/api/v1/async/jobs/${jobId}`),
    ]);
    for (const { status } of answers) expect(status).toBe(500);
    expect((await timedRequest("DELETE", path)).status).toBe(200);
    expect((await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: "nobody" } })).status).toBe(200);
  } finally {
    queue.signal("SIGCONT");
  }
  expect(await endOfNext()).toBe("DONE");
});

test("after the queue's Redis was killed and returned empty, jobs are accepted and run again", async () => {
  const { port } = queue;
  queue.signal("SIGKILL");
  await poll("a response with 500", async () => (await timedRequest("DELETE", `${path}/async`)).status === 500);
  queue = await spawnRedis({ port });
  expect(await endOfNext()).toBe("DONE");
});

test("while the Redis with the keys hangs, a synchronous flush is answered with 500, and a job is completed when it is back", async () => {
  const retried = async (): Promise<number> => {
    const metrics = (await stack.services.get("jobs-worker")?.metrics()) ?? "";
    return Number(/jobs_retried_total\{type="BF_FLUSH"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  };
  const before = await retried();
  stack.redis?.signal("SIGSTOP");
  let jobId = "";
  try {
    const { status, ms } = await timedRequest("DELETE", path);
    expect([status, ms < 3000]).toEqual([500, true]);
    jobId = await enqueue(stack, flush);
    await poll("a failed run", async () => (await retried()) > before);
    expect(["QUEUED", "INPROGRESS"]).toContain(resultOf((await jobOf(stack, jobId)).body)["status"]);
  } finally {
    stack.redis?.signal("SIGCONT");
  }
  expect(await untilEnded(stack, jobId)).toMatchObject({ status: "DONE", error: "" });
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
