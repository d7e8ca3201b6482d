import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack } from "../../support/stack.ts";
import { connect } from "./counting.ts";
import { passwordOf, startGuessedStack, statusOf, userName } from "./guessed-stack.ts";

let stack: Stack;
let redis: RedisClient;

beforeAll(async () => {
  stack = await startGuessedStack({ cached: true });
  redis = await connect({
    kind: "standalone",
    address: { host: "127.0.0.1", port: Number(new URL(stack.redis?.url ?? "").port) },
  });
  await poll("both engines keep what they read", areTracking);
});

afterAll(async () => {
  redis.disconnect();
  await stack[Symbol.asyncDispose]();
});

async function areTracking(): Promise<boolean> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  return pages.every((page) => page.includes("service_brute_force_tracked 1"));
}

async function readsOfRedis(): Promise<number> {
  const stats = await redis.info("commandstats");
  return Number(/^cmdstat_mget:calls=(\d+)/mu.exec(stats)?.[1] ?? 0);
}

async function trackingConnections(): Promise<readonly string[]> {
  const clients = String(await redis.client("LIST")).matchAll(/id=(\d+) [^\n]*name=\S*-reports /gu);
  return [...clients].map(([, id = ""]) => id);
}

const signIn = (clientIp: string, index: number) =>
  statusOf(stack, { clientIp, user: userName(index), password: passwordOf(index) });

/** Enough sign-ins that each engine has kept what it reads for this network. */
async function becomeKnown(clientIp: string, index: number): Promise<void> {
  for (let count = 0; count < 12; count += 1) expect(await signIn(clientIp, index)).toBe(200);
}

test("cached sign-ins of a known account from a known network read nothing from Redis", async () => {
  const clientIp = "192.0.2.20";
  await becomeKnown(clientIp, 1);
  await poll("40 sign-ins without a read", async () => {
    const before = await readsOfRedis();
    for (let count = 0; count < 40; count += 1) expect(await signIn(clientIp, 1)).toBe(200);
    return (await readsOfRedis()) === before;
  });
});

async function guessUntilBanned(clientIp: string): Promise<void> {
  await Promise.all(
    Array.from({ length: 10 }, (_, guess) =>
      statusOf(stack, { clientIp, user: userName(0), password: `guess-${guess}` }),
    ),
  );
}

/** What eight sign-ins with the right password are answered, which reach both engines. */
const answersOf = async (clientIp: string, index: number): Promise<ReadonlySet<number>> =>
  new Set(await Promise.all(Array.from({ length: 8 }, () => signIn(clientIp, index))));

test("a ban is in force in every engine once the guess that caused it is answered", async () => {
  for (let network = 1; network <= 5; network += 1) {
    const clientIp = `198.51.${network}.10`;
    await becomeKnown(clientIp, network);
    await guessUntilBanned(clientIp);
    expect(await answersOf(clientIp, network)).toEqual(new Set([403]));
  }
});

test("no ban is missed when an engine loses the connection over which Redis reports changes", async () => {
  for (let network = 1; network <= 5; network += 1) {
    const clientIp = `203.0.${network}.10`;
    await becomeKnown(clientIp, network);
    const connections = await trackingConnections();
    const guesses = guessUntilBanned(clientIp);
    await Promise.all(connections.map((id) => redis.client("KILL", "ID", id)));
    await guesses;
    expect(await answersOf(clientIp, network)).toEqual(new Set([403]));
  }
  await poll("both engines keep what they read again", areTracking);
});
