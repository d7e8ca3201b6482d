import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Load, startLoad } from "../../support/load.ts";
import { basicAuth, type Replica, type Stack, startStack } from "../../support/stack.ts";
import { buildEarlierVersion, type EarlierVersion } from "./earlier-version.ts";

let earlier: EarlierVersion;
let copy: string | undefined;
let stack: Stack;
let second: Replica;

beforeAll(async () => {
  earlier = await buildEarlierVersion();
  ({ copy } = earlier);
  stack = await startStack({
    redis: true,
    engines: 2,
    services: ["admin"],
    copy: () => copy,
    settings: { runtime: { timeouts: { decision: "60s" } } },
  });
  second = await stack.startReplica("gateway");
}, 300_000);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await earlier[Symbol.asyncDispose]();
});

async function answeredMore(loads: readonly Load[]): Promise<void> {
  const before = loads.map((load) => load.answered());
  const isEnough = (load: Load, index: number): boolean => load.answered() > (before[index] ?? 0) + 200;
  await poll("answers", () => loads.every(isEnough), 60_000);
}

const adminStatus = async (url: string): Promise<number> =>
  (await fetch(`${url}/api/v1/config/load`, { headers: { authorization: basicAuth } })).status;

test("replaced in the documented order, engines, then admin, then gateways, no version loses a request", async () => {
  const loads = [startLoad(stack.url, { loops: 8 }), startLoad(second.url, { loops: 8 })];
  await answeredMore(loads);
  expect(await adminStatus(stack.url)).toBe(200);

  // From here on, this version is started.
  copy = undefined;
  for (const engine of stack.engines.slice()) {
    await stack.startEngine();
    await answeredMore(loads);
    expect(await engine.stop()).toBe(0);
    await answeredMore(loads);
  }
  await stack.services.get("admin")?.stop();
  await stack.start("admin");
  await poll("the new admin", async () => (await adminStatus(stack.url)) === 200);
  await answeredMore(loads);

  // A load balancer stops sending before a gateway is stopped.
  expect(await loads[1]?.stop()).toEqual([]);
  expect(await second.process.stop()).toBe(0);
  const replacement = await stack.startReplica("gateway");
  const newLoad = startLoad(replacement.url, { loops: 8 });
  await answeredMore([newLoad]);
  expect(await adminStatus(replacement.url)).toBe(200);
  expect(await loads[0]?.stop()).toEqual([]);
  expect(await stack.gateway.stop()).toBe(0);
  await answeredMore([newLoad]);
  expect(await newLoad.stop()).toEqual([]);
}, 300_000);
