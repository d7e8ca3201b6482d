import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisSite, startRedisSite } from "./redis-site.ts";

const rounds = 3;
let site: RedisSite;

beforeAll(async () => {
  site = await startRedisSite({}, { engines: 3 });
}, 180_000);

afterAll(() => site[Symbol.asyncDispose]());

test("three engines are replaced one by one under load, three times: no banned network is let in, and no request fails", async () => {
  const { stack } = site.oidc;
  const { wrong, undecided } = await site.observe(async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const engine of stack.engines.slice(-3)) {
        await stack.startEngine();
        expect(await engine.stop()).toBe(0);
      }
    }
  });
  expect({ wrong, undecided }).toEqual({ wrong: [], undecided: [] });
}, 300_000);
