import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, pause, poll, scratchFolder, spawnHaproxy } from "@postern/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { basicAuth, type Replica, type Stack, startStack } from "../../support/stack.ts";

let owned: AsyncDisposableStack;
let stack: Stack;
let replicas: readonly [Replica, Replica];

/** Passes each connection to the next replica, without health checks. */
const proxyConfig = (port: number, targets: readonly string[]): string => `
defaults
    mode tcp
    timeout connect 5s
    timeout client 900s
    timeout server 900s
listen admin
    bind 127.0.0.1:${port}
    balance roundrobin
${targets.map((target, index) => `    server admin${index} ${target}\n`).join("")}`;

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await scratchFolder());
  const script = join(folder, "slow.lua");
  await writeFile(script, "function hook(request) while true do end end");
  const port = await freePort();
  stack = starting.use(
    await startStack({
      engines: 0,
      redis: true,
      settings: {
        runtime: {
          timeouts: { lua_script: "12s" },
          services: { admin: { url: `http://127.0.0.1:${port}` } },
          servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } },
        },
        auth: {
          backends: { lua: { backend: { default: { cpu_limit: "9s" } } } },
          controls: { lua: { hooks: [{ http_location: "slow", http_method: "GET", script_path: script }] } },
        },
      },
    }),
  );
  replicas = [await stack.startReplica("admin"), await stack.startReplica("admin")];
  const targets = replicas.map(({ url }) => new URL(url).host);
  starting.use(await spawnHaproxy({ config: proxyConfig(port, targets), port }));
  owned = starting.move();
});

afterAll(() => owned[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly tookMs: number;
}

async function ask(path = "/api/v1/config/load"): Promise<Answer> {
  const started = performance.now();
  const response = await fetch(`${stack.url}${path}`, { headers: { authorization: basicAuth } });
  await response.arrayBuffer();
  return { status: response.status, tookMs: performance.now() - started };
}

async function failures(reason: string): Promise<number> {
  const series = new RegExp(`service_forward_failures_total\\{owner="admin",reason="${reason}"\\} (\\d+)`);
  return Number(series.exec(await stack.gateway.metrics())?.[1] ?? 0);
}

interface Burst {
  readonly answers: Promise<readonly Answer[]>;
  readonly answered: () => number;
}

const inBurst = 8;

/** Requests on connections of their own, so that both replicas get some. */
function burst(): Burst {
  let answered = 0;
  const one = async (): Promise<Answer> => {
    const answer = await ask();
    answered += 1;
    return answer;
  };
  return { answers: Promise.all(Array.from({ length: inBurst }, one)), answered: () => answered };
}

afterEach(async () => {
  for (const { process } of replicas) process.signal("SIGCONT");
  await poll("both to respond", async () => (await burst().answers).every(({ status }) => status === 200));
});

test("requests at a frozen replica are answered when it continues", async () => {
  await pause(replicas[1].process);
  const { answers, answered } = burst();
  await poll("the other's answers", () => answered() > 0);
  expect(answered()).toBeLessThan(inBurst);
  replicas[1].process.signal("SIGCONT");
  for (const { status } of await answers) expect(status).toBe(200);
  expect(await failures("silent")).toBe(0);
});

test("otherwise they fail after 30 s; a long request at the other replica is not cut off", async () => {
  const before = await failures("timeout");
  await pause(replicas[1].process);
  const { answers, answered } = burst();
  await poll("the other's answers", () => answered() > 0);
  const slow = await ask("/api/v1/custom/slow");
  expect([slow.status, slow.tookMs > 8000]).toEqual([500, true]);
  const statuses = (await answers).map(({ status }) => status);
  const failed = statuses.filter((status) => status === 500).length;
  expect(failed).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 200)).toHaveLength(inBurst - failed);
  expect([await failures("timeout"), await failures("silent")]).toEqual([before + failed, 0]);
}, 120_000);

test("if both are frozen, they fail as soon as no connection is answered", async () => {
  for (const { process } of replicas) await pause(process);
  for (const { status } of await burst().answers) expect(status).toBe(500);
  expect(await failures("silent")).toBe(inBurst);
});
