import type { SignInSeries } from "@postern/shared/contracts";
import { rollupFields, rollupSeries, rollupSeriesNames } from "@postern/shared/domain/rollups";
import { rollupKey } from "@postern/shared/platform/redis";
import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { merged, redisGivenUpSoon } from "../../support/stack-config.ts";

let stack: Stack;

const bucket = { name: "imap", period: "10m", ban_time: "1h", failed_requests: 3, ipv4: true, cidr: 24 };

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 2,
    redis: true,
    services: ["admin"],
    settings: {
      ...merged(redisGivenUpSoon, {
        auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } } },
      }),
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

/** Waits until admin has a connection to Redis. */
async function seriesOf(range: string): Promise<SignInSeries> {
  const text = await poll("the series", async () => {
    const answer = await askAdmin(stack, "GET", `/api/v1/console/series?range=${range}`);
    return answer.status === 200 && answer.text;
  });
  return JSON.parse(text);
}

const sumOf = ({ steps }: SignInSeries, pick: (step: SignInSeries["steps"][number]) => number): number =>
  steps.reduce((sum, step) => sum + pick(step), 0);

async function countsOf(range = "1h") {
  const series = await seriesOf(range);
  return {
    succeeded: sumOf(series, ({ ok, cached }) => ok + cached),
    wrong: sumOf(series, (step) => step.wrong_password),
    unknown: sumOf(series, (step) => step.unknown_user),
    blocked: sumOf(series, ({ blocked }) => blocked),
    newBans: sumOf(series, (step) => step.new_bans),
    bans: series.steps.findLast(({ bans }) => bans !== undefined)?.bans,
  };
}

const signIn = (fields: object = {}) => askJson(stack.url, { ...alice, ...fields });
const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const expected = { succeeded: 0, wrong: 0, unknown: 0, blocked: 0, newBans: 0 };

/** The counts, once all are there. */
async function countedSoon() {
  await poll("the counts of the engines", async () => {
    const { succeeded, wrong, unknown, blocked, newBans } = await countsOf();
    const counted = succeeded + wrong + unknown + blocked + newBans;
    return counted >= Object.values(expected).reduce((sum, count) => sum + count, 0);
  });
  return countsOf();
}

test("each sign-in at two engines is counted once, in every resolution, with bans", async () => {
  await times(30, () => signIn());
  await times(5, (index) => signIn({ username: `nobody${index}@example.test`, client_ip: `192.0.${index}.1` }));
  for (let index = 0; index < 3; index += 1) await signIn({ password: `wrong-${index}`, client_ip: "198.51.100.7" });
  await times(4, () => signIn({ client_ip: "198.51.100.7" }));
  Object.assign(expected, { succeeded: 30, unknown: 5, wrong: 3, blocked: 4, newBans: 1 });
  expect(await countedSoon()).toMatchObject(expected);
  for (const range of ["3h", "24h", "7d", "14d"]) expect(await countsOf(range)).toMatchObject(expected);
  await poll("the number of bans", async () => (await countsOf()).bans === 1);
  const { p99_ms: p99 = 0, protocols } = await seriesOf("1h");
  expect(p99).toBeGreaterThan(0);
  expect(protocols).toEqual([{ protocol: "imap", ok: 30, failed: 12 }]);
});

/** Longer than the time after which an engine writes its counts. */
const overFlushMs = 12_000;

test("while Redis does not answer, counts wait, and appear once when it answers again", async () => {
  if (stack.redis === undefined) throw new Error("no Redis");
  await pause(stack.redis);
  const begun = performance.now();
  await poll("the engines to send a batch to a Redis that does not answer", async () => {
    await times(4, () => signIn());
    expected.succeeded += 4;
    return performance.now() - begun > overFlushMs;
  });
  stack.redis.signal("SIGCONT");
  expect(await countedSoon()).toMatchObject(expected);
});

test("a graceful stop of an engine loses no count, and counts none twice", async () => {
  await times(20, () => signIn());
  expected.succeeded += 20;
  expect(await stack.engines[0]?.stop()).toBe(0);
  expect(await stack.engines[1]?.stop()).toBe(0);
  expect(await countsOf()).toMatchObject(expected);
});

test("all keys expire, and take less than 2 MiB when every period has every count", async () => {
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    const written = await redis.keys("*rollups:*");
    expect(written.length).toBeGreaterThan(0);
    for (const key of written) expect(await redis.ttl(key)).toBeGreaterThan(0);
    const keys: string[] = [];
    for (const series of rollupSeriesNames) {
      const fields = rollupFields.flatMap((field) => [field, 1_000_000_000]);
      for (let age = 0; age < rollupSeries[series].kept + 3; age += 1) {
        const key = rollupKey.build("full:", series, String(31_666_666 + age));
        keys.push(key);
        await redis.hset(key, "bans", 1_000_000, ...fields);
      }
    }
    const sizes = await Promise.all(keys.map(async (key) => Number(await redis.memory("USAGE", key))));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * 1_048_576);
  } finally {
    redis.disconnect();
  }
});
