import { poll } from "@postern/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startLoad } from "../../support/load.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

/** Longer than a test may take, so that no test passes by waiting for the deadline of a decision. */
const decisionMs = 120_000;
const network = "198.51.100";
let stack: Stack;
let frozen: ServiceProcess;

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 3,
    redis: true,
    settings: {
      runtime: { timeouts: { decision: `${decisionMs}ms` } },
      auth: {
        controls: {
          enabled: ["brute_force"],
          brute_force: {
            buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: 10_000, ipv4: true }],
            account_delay: { enabled: false },
          },
        },
      },
    },
  });
  const [first] = stack.engines;
  if (first === undefined) throw new Error("no engine");
  frozen = first;
  await enginesHeard(3);
});

afterAll(() => stack[Symbol.asyncDispose]());

afterEach(async () => {
  frozen.signal("SIGCONT");
  await enginesHeard(3);
});

function enginesHeard(count: number): Promise<true> {
  return poll(`heartbeats of ${count} engines`, async () =>
    (await stack.gateway.metrics()).includes(`service_engines_heard ${count}\n`),
  );
}

async function happened(fact: "resent" | "late_reply"): Promise<number> {
  const series = new RegExp(`events_total\\{fact="${fact}"\\} (\\d+)`);
  return Number(series.exec(await stack.gateway.metrics())?.[1] ?? 0);
}

const resent = (): Promise<number> => happened("resent");

/** Failures of unknown accounts, as Redis counted them for the network. */
async function counted(): Promise<number> {
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    const [key = ""] = await redis.keys(`*:count:net:${network}.0/24`);
    return Number(await redis.hget(key, "u"));
  } finally {
    redis.disconnect();
  }
}

const guess = async (index: number): Promise<number> =>
  (await askJson(stack.url, { ...alice, username: `nobody${index}@example.test`, client_ip: `${network}.7` })).status;

test("with one of three engines frozen, no request fails, and the frozen engine gets nothing new", async () => {
  await using load = startLoad(stack.url);
  await poll("requests under load", () => load.answered() > 300);
  const before = await resent();
  frozen.signal("SIGSTOP");
  await enginesHeard(2);
  await poll("its requests to be sent to another engine", async () => (await resent()) > before);
  const atSilence = load.answered();
  const known = await resent();
  await poll("the others to continue", () => load.answered() > atSilence + 1000);
  expect(await load.stop()).toEqual([]);
  // Nothing went to the frozen engine after it had fallen silent.
  expect(await resent()).toBe(known);
});

test("a request that two engines receive is counted once, even if the first one continues later", async () => {
  const [before, late] = [await resent(), await happened("late_reply")];
  frozen.signal("SIGSTOP");
  const answers: Promise<number>[] = [];
  // Only the first burst can go to the frozen engine, because it has unanswered requests from then on.
  for (let round = 0; round < 20 && (await resent()) === before; round += 1) {
    if (round > 0) {
      frozen.signal("SIGCONT");
      await enginesHeard(3);
      frozen.signal("SIGSTOP");
    }
    const burst = Array.from({ length: 10 }, (_, index) => guess(10 * round + index));
    answers.push(...burst);
    await Promise.all(burst);
  }
  const statuses = await Promise.all(answers);
  expect(new Set(statuses)).toEqual(new Set([403]));
  const doubled = (await resent()) - before;
  expect(doubled).toBeGreaterThan(0);
  expect(await counted()).toBe(answers.length);
  frozen.signal("SIGCONT");
  await poll("the first engine to decide them too", async () => (await happened("late_reply")) >= late + doubled);
  expect(await counted()).toBe(answers.length);
});
