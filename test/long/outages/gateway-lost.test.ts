import { once } from "node:events";
import { pause, poll } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startLoad } from "../../support/load.ts";
import { type Replica, type Stack, startStack } from "../../support/stack.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { showFigures } from "./figures.ts";

const loops = 16;
let stack: Stack;
let second: Replica;
let balancer: Balancer;

beforeEach(async () => {
  // Longer than the test may take: what a frozen gateway holds ends because HAProxy ends it.
  const runtime = {
    timeouts: { decision: "900s" },
    servers: { http: { haproxy_v2: true, trusted_proxies: ["127.0.0.1"] } },
  };
  stack = await startStack({ engines: 2, settings: { runtime } });
  second = await stack.startReplica("gateway");
  balancer = await startBalancer([{ url: stack.url, process: stack.gateway }, second]);
});

afterEach(async () => {
  second.process.signal("SIGCONT");
  await balancer[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

async function decisionsOf(gateway: Pick<Replica["process"], "metrics">): Promise<number> {
  const counts = (await gateway.metrics()).matchAll(/^service_auth_decisions_total\{[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test.each([
  [
    "killed",
    async () => {
      second.process.signal("SIGKILL");
      await once(second.process.process, "exit");
    },
  ],
  ["frozen", () => pause(second.process)],
])(
  "one of two gateways behind HAProxy is %s under load: only requests on its connections are lost",
  async (fault, inject) => {
    const load = startLoad(balancer.url, { loops });
    await poll(
      "both gateways to decide",
      async () => {
        const decided = await Promise.all([stack.gateway, second.process].map(decisionsOf));
        return decided.every((count) => count > 50);
      },
      60_000,
    );
    const faultAt = performance.now();
    await inject();
    const atFault = load.answered();
    // Every loop has to come back: none waits for a gateway that does not answer.
    await poll("the other gateway to continue", () => load.answered() > atFault + 50 * loops, 120_000);
    const surprises = await load.stop();
    const last = Math.max(faultAt, ...surprises.map(({ endedAt }) => endedAt));
    showFigures(`HAProxy, ${fault} gateway`, {
      "requests lost": surprises.length,
      "last one after ms": last - faultAt,
      "slowest request ms": load.slowestMs(),
    });
    // No response at all: mail servers try again. No decision was wrong, and no more was lost than its connections held.
    expect(surprises.map(({ status }) => status).filter((status) => status !== 0)).toEqual([]);
    expect(surprises.length).toBeLessThanOrEqual(4 * loops);
    const after = startLoad(balancer.url, { loops });
    await poll("answers", () => after.answered() > 10 * loops, 60_000);
    expect(await after.stop()).toEqual([]);
  },
);
