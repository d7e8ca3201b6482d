import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import type { Stack } from "../../support/stack.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";
import { connect } from "./counting.ts";
import { passwordOf, startGuessedStack, statusOf, userName } from "./guessed-stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startGuessedStack({ cached: true, services: ["admin"], settings: redisGivenUpSoon });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function isAway(): Promise<boolean> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  return pages.every((page) => page.includes("service_brute_force_redis_away 1"));
}

async function isThere(): Promise<boolean> {
  await validLogins("198.18.0");
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  return pages.every((page) => page.includes("service_brute_force_redis_away 0"));
}

/** Twenty users sign in from one network; resolves to the statuses. */
async function validLogins(network: string): Promise<readonly number[]> {
  const statuses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      statusOf(stack, { clientIp: `${network}.${index + 1}`, user: userName(index), password: passwordOf(index) }),
    ),
  );
  return [...new Set(statuses)];
}

async function guess(clientIp: string, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) await statusOf(stack, { clientIp, password: `guess-${index}` });
}

/** While Redis is unavailable, every correct password is accepted, and guessing is still stopped. */
async function expectOwnCounts(network: string): Promise<void> {
  await validLogins(`${network}1`);
  await poll("both engines to detect that Redis is unavailable", async () => {
    await validLogins(`${network}1`);
    return isAway();
  });
  expect(await validLogins(`${network}2`)).toEqual([200]);
  await guess(`${network}3.1`, 40);
  expect(await statusOf(stack, { clientIp: `${network}3.2`, password: passwordOf(0) })).toBe(403);
  expect(await statusOf(stack, { clientIp: `${network}4.2`, password: passwordOf(0) })).toBe(200);
}

test("an invalid value in the key of one network is replaced: guesses are still banned, and Redis counts as available", async () => {
  const redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: stack.redis?.port ?? 0 } });
  try {
    await guess("203.0.60.1", 1);
    const [countKey = ""] = await redis.keys("*:count:ipv4:203.0.60.0*");
    expect(await redis.type(countKey)).toBe("hash");
    await redis.set(countKey, "no hash", "EX", 600);
    await guess("203.0.60.1", 11);
  } finally {
    redis.disconnect();
  }
  expect(await statusOf(stack, { clientIp: "203.0.60.2", password: passwordOf(0) })).toBe(403);
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  for (const page of pages) expect(page).toContain('service_brute_force_degraded_total{question="count"} 0');
});

test("while Redis hangs, no valid login fails, each engine's own count stops guessing, and a ban stays in force unless it was flushed", async () => {
  for (const clientIp of ["192.0.8.1", "192.0.9.1"]) {
    await guess(clientIp, 10);
    for (let ask = 0; ask < 8; ask += 1) await statusOf(stack, { clientIp, password: "x" });
  }
  const body = { ip_address: "192.0.8.1", rule_name: "*" };
  expect((await askAdmin(stack, "DELETE", "/api/v1/bruteforce/flush", { body })).status).toBe(200);
  const redis = stack.redis;
  if (redis === undefined) throw new Error("no redis");
  await pause(redis);
  try {
    const statuses = await validLogins("198.51.1");
    expect(statuses).toEqual([200]);
    await expectOwnCounts("198.51.1");
    expect(await statusOf(stack, { clientIp: "192.0.9.1", password: passwordOf(0) })).toBe(403);
    const freed = await Promise.all(
      Array.from({ length: 12 }, () => statusOf(stack, { clientIp: "192.0.8.1", password: passwordOf(0) })),
    );
    expect([...new Set(freed)]).toEqual([200]);
  } finally {
    redis.signal("SIGCONT");
  }
  await poll("both engines to be connected again", isThere);
  expect(await statusOf(stack, { clientIp: "198.51.13.2", password: passwordOf(0) })).toBe(200);
});

test("with tempfail configured, requests are neither denied nor accepted while Redis hangs", async () => {
  const redis = stack.redis;
  if (redis === undefined) throw new Error("no redis");
  await stack.writeSettings({ auth: { controls: { brute_force: { without_redis: { mode: "tempfail" } } } } });
  for (const engine of stack.engines) engine.signal("SIGHUP");
  await pause(redis);
  try {
    await poll("temporary failures", async () => {
      const statuses = await validLogins("198.51.20");
      expect(statuses).not.toContain(403);
      return statuses.length === 1 && statuses[0] === 500;
    });
    expect(await statusOf(stack, { clientIp: "198.51.20.1", password: "wrong" })).toBe(500);
  } finally {
    redis.signal("SIGCONT");
    await stack.writeSettings({});
    for (const engine of stack.engines) engine.signal("SIGHUP");
  }
  await poll("both engines to be connected again", isThere);
});

test("while Redis is killed, each engine counts alone; after it returns empty, engines count together again", async () => {
  stack.redis?.signal("SIGKILL");
  await expectOwnCounts("203.0.1");
  await stack.startRedis();
  await poll("both engines to be connected again", isThere);
  await guess("203.0.20.1", 10);
  expect(await statusOf(stack, { clientIp: "203.0.20.2", password: passwordOf(0) })).toBe(403);
});
