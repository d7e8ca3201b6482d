import { once } from "node:events";
import { engineAlive } from "@postern/shared/contracts";
import { freePort, pause, poll } from "@postern/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeBus } from "../../integration/bus/bus-fixture.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type ServiceProcess, startService, untilReady } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { beforeTraces, buildEarlierVersion, configBeforeTraces } from "./earlier-version.ts";

interface Engine {
  readonly instance: string;
  readonly process: ServiceProcess;
}

let owned: AsyncDisposableStack;
let stack: Stack;
let earlier: string;
let current: Engine;
/** The number of heartbeats of each engine. */
const heartbeats = new Map<string, number>();

async function heardAfter(before: ReadonlySet<string>): Promise<string> {
  return poll("the heartbeat of a new engine", () => [...heartbeats.keys()].find((instance) => !before.has(instance)));
}

async function startCurrent(): Promise<Engine> {
  const before = new Set(heartbeats.keys());
  const process = await stack.startEngine();
  return { process, instance: await heardAfter(before) };
}

async function beats(instance: string, count: number): Promise<void> {
  const before = heartbeats.get(instance) ?? 0;
  await poll("heartbeats", () => (heartbeats.get(instance) ?? 0) >= before + count);
}

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const { copy } = starting.use(await buildEarlierVersion(beforeTraces));
  stack = starting.use(
    await startStack({
      redis: true,
      engines: 0,
      settings: {
        runtime: { timeouts: { decision: "20s" } },
        auth: {
          controls: {
            enabled: ["brute_force"],
            brute_force: {
              buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 32, failed_requests: 10, ipv4: true }],
              account_delay: { enabled: false },
            },
          },
        },
      },
    }),
  );
  const bus = starting.use(await makeBus(stack.nats.url, { namespace: "postern" }));
  bus.subscribe(engineAlive, ({ instance }) => void heartbeats.set(instance, (heartbeats.get(instance) ?? 0) + 1));
  await bus.flush();
  const configFile = await configBeforeTraces(stack);
  const options = { configFile, privatePort: await freePort(), copy };
  const engine = starting.use(await startService("auth-engine", options));
  earlier = await heardAfter(new Set());
  await untilReady(engine);
  current = await startCurrent();
  owned = starting.move();
}, 300_000);

afterAll(() => owned[Symbol.asyncDispose]());

afterEach(() => current.process.signal("SIGCONT"));

async function resent(): Promise<number> {
  const series = /events_total\{fact="resent"\} (\d+)/;
  return Number(series.exec(await stack.gateway.metrics())?.[1] ?? 0);
}

interface Guess {
  readonly client: string;
  readonly status: number;
}

let addresses = 0;

/** A wrong password from an address of its own. */
async function guess(): Promise<Guess> {
  addresses += 1;
  const client = `10.0.${addresses >> 8}.${addresses & 255}`;
  const { status } = await askJson(stack.url, { ...alice, username: "nobody@example.test", client_ip: client });
  return { client, status };
}

interface Burst {
  readonly guesses: Promise<readonly Guess[]>;
  readonly hasEnded: () => boolean;
}

/** Enough for each engine to get some, unless the gateway sends all of them in one message. */
function burst(): Burst {
  let hasEnded = false;
  const guesses = Promise.all(Array.from({ length: 100 }, guess)).finally(() => {
    hasEnded = true;
  });
  return { guesses, hasEnded: () => hasEnded };
}

/** How often Redis counted the failure of each guess. */
async function counted(guesses: readonly Guess[]): Promise<readonly number[]> {
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    const counts = guesses.map(({ client }) => redis.hget(`postern:bf:{${client}}:count:net:${client}`, "u"));
    return (await Promise.all(counts)).map(Number);
  } finally {
    redis.disconnect();
  }
}

test("requests of a frozen engine go to the other current one, and are counted once", async () => {
  const other = await startCurrent();
  const before = await resent();
  const all: Guess[] = [];
  while ((await resent()) < before + 50) {
    await pause(current.process);
    const [known, { guesses, hasEnded }] = [await resent(), burst()];
    await poll("requests to be sent again", async () => hasEnded() || (await resent()) > known);
    current.process.signal("SIGCONT");
    all.push(...(await guesses));
    await beats(current.instance, 2);
  }
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([403]));
  expect(new Set(await counted(all))).toEqual(new Set([1]));
  expect(await other.process.stop()).toBe(0);
}, 300_000);

test("requests that the other current one does not receive either, because it was killed, wait and are counted once", async () => {
  const before = await resent();
  const all: Guess[] = [];
  while ((await resent()) < before + 20) {
    const other = await startCurrent();
    // The gateway knows both when it has received what we have.
    await beats(other.instance, 3);
    await beats(current.instance, 1);
    await pause(current.process);
    const { guesses } = burst();
    // Killed before the gateway notices that the first is silent, and too late for it to notice that this one is silent too.
    await beats(other.instance, 2);
    const exit = once(other.process.process, "exit");
    other.process.signal("SIGKILL");
    await exit;
    const oneHeard = async (): Promise<boolean> =>
      (await stack.gateway.metrics()).includes("service_engines_heard 1\n");
    await poll("both to be silent", oneHeard);
    await beats(earlier, 3);
    current.process.signal("SIGCONT");
    all.push(...(await guesses));
  }
  const counts = await counted(all);
  expect(counts.filter((count) => count > 1)).toEqual([]);
  // What the killed engine had received from the queue group is undecided.
  expect(all.filter(({ status }) => status !== 403 && status !== 500)).toEqual([]);
  expect(all.filter(({ status }, index) => status === 403 && counts[index] !== 1)).toEqual([]);
}, 300_000);
