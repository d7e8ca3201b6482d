import { once } from "node:events";
import { type ChildServer, freePort, pause, poll } from "@postern/shared/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { basicAuth, type Replica, type Stack, startStack } from "../../support/stack.ts";
import { startServiceBalancer } from "./balancer.ts";

let stack: Stack;
let second: Replica;
let balancer: ChildServer;

beforeEach(async () => {
  const port = await freePort();
  stack = await startStack({
    redis: true,
    settings: { runtime: { services: { admin: { url: `http://127.0.0.1:${port}` } } } },
  });
  const first = await stack.startReplica("admin");
  second = await stack.startReplica("admin");
  balancer = await startServiceBalancer(port, [first, second]);
});

afterEach(async () => {
  second.process.signal("SIGCONT");
  await balancer[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const status = async (): Promise<number> =>
  (await fetch(`${stack.url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } })).status;

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
  "one of two admins is %s: its paths are 500 at most until the proxy has noticed, then the other serves them",
  async (_fault, inject) => {
    const seen: number[] = [];
    const stopping = new AbortController();
    const loop = async (): Promise<void> => {
      while (!stopping.signal.aborted) seen.push(await status());
    };
    const running = Promise.all([loop(), loop(), loop(), loop()]);
    await poll("answers", () => seen.filter((code) => code === 200).length > 40, 60_000);
    await inject();
    await poll(
      "the other admin",
      async () => {
        const answers = await Promise.all(Array.from({ length: 12 }, status));
        return answers.every((code) => code === 200);
      },
      60_000,
    );
    const before = seen.length;
    await poll("more answers", () => seen.length > before + 40, 60_000);
    stopping.abort();
    await running;
    expect(new Set(seen.slice(before))).toEqual(new Set([200]));
    expect(new Set(seen.filter((code) => code !== 200 && code !== 500))).toEqual(new Set());
  },
);
