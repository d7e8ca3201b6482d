import { setTimeout as delay } from "node:timers/promises";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { clockOffset } from "../../support/clock-offset.ts";
import { type JoinedSites, startJoinedSites } from "../../support/joined-sites.ts";
import { runOperator } from "../../support/run-operator.ts";
import type { Stack } from "../../support/stack.ts";
import { quantileOf, type SteadyLoad, showHistogram, startSteadyLoad } from "./steady-load.ts";

const limit = 10;
const hourMs = 3_600_000;
const bucket = { name: "net", period: "1h", ban_time: "1h", failed_requests: limit, ipv4: true, cidr: 32 };

const owned = new AsyncDisposableStack();
let joined: JoinedSites;
let east: Stack;
let west: Stack;
let north: Stack;
let loads: readonly SteadyLoad[];
let baseline: number;

beforeAll(async () => {
  const settings = {
    auth: {
      controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket], account_delay: { enabled: false } } },
    },
  };
  joined = owned.use(
    await startJoinedSites(["east", "west", "north"], (name) => ({
      shape: name === "north" ? "one" : "five",
      engines: name === "north" ? 1 : 2,
      settings,
      // The services of a whole region believe that it is an hour later.
      env: name === "west" ? clockOffset(hourMs) : {},
    })),
  );
  const [first, second, third] = joined.sites;
  if (first === undefined || second === undefined || third === undefined) throw new Error("there are no three sites");
  [east, west, north] = [first, second, third];
  for (const link of joined.links) link.delay(80, 40);
  for (const site of joined.sites)
    await poll("the links", async () => (await runOperator(site.url, ["regions"])).code === 0);
  loads = [owned.use(startSteadyLoad(east.url)), owned.use(startSteadyLoad(west.url))];
  const from = performance.now();
  await delay(10_000);
  baseline = quantileOf(loads[0]?.timesBetween(from, performance.now()) ?? [], 0.99);
}, 300_000);

afterAll(() => owned.disposeAsync());

const addressOf = (block: number, number: number): string => `198.51.${block}.${number}`;

async function statusFrom(site: Stack, address: string, password: string = alice.password): Promise<number> {
  return (await askJson(site.url, { ...alice, password, client_ip: address })).status;
}

/** Another account than that of the load. */
async function fail(site: Stack, address: string, number: number): Promise<void> {
  const user = { username: "bob@example.test", password: `wrong-${address}-${number}`, protocol: "imap" };
  await askJson(site.url, { ...user, client_ip: address });
}

async function banAt(site: Stack, address: string): Promise<void> {
  for (let number = 0; number < limit; number += 1) await fail(site, address, number);
}

async function timeUntil(site: Stack, address: string, status: number): Promise<number> {
  const from = performance.now();
  while ((await statusFrom(site, address)) !== status) await delay(20);
  return performance.now() - from;
}

/** As many at a time as do not occupy the machine themselves. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.values();
  const one = async (): Promise<void> => {
    for (const item of queue) results.push(await work(item));
  };
  await Promise.all([one(), one(), one()]);
  return results;
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_value, index) => index + 1);

test("bans, unbans and suspensions arrive within a second over a link with 80 ms, and a clock that is an hour off does not matter", async () => {
  const bans = await inTurns(numbers(60), async (number) => {
    const [at, elsewhere] = number % 2 === 0 ? [east, west] : [west, east];
    await banAt(at, addressOf(1, number));
    return timeUntil(elsewhere, addressOf(1, number), 403);
  });
  showHistogram("bans", bans);
  const unbans = await inTurns(numbers(20), async (number) => {
    const [at, elsewhere] = number % 2 === 0 ? [west, east] : [east, west];
    expect((await runOperator(at.url, ["unban", addressOf(1, number)])).code).toBe(0);
    return timeUntil(elsewhere, addressOf(1, number), 200);
  });
  showHistogram("unbans", unbans);
  const carol = { username: "carol@example.test", password: "carol-demo-password", protocol: "imap" };
  const suspensions: number[] = [];
  for (const [command, status] of [
    ["suspend", 403],
    ["resume", 200],
  ] as const) {
    expect((await runOperator(west.url, [command, carol.username])).code).toBe(0);
    const from = performance.now();
    while ((await askJson(east.url, carol)).status !== status) await delay(20);
    suspensions.push(performance.now() - from);
  }
  showHistogram("suspensions", suspensions);
  for (const times of [bans, unbans, suspensions]) expect(quantileOf(times, 0.95)).toBeLessThan(1000);
  // The third region, which nobody uses, knows them too, and none of those that were removed.
  await poll("the last ban in north", async () => (await statusFrom(north, addressOf(1, 60))) === 403);
  for (const number of [1, 20]) expect(await statusFrom(north, addressOf(1, number))).toBe(200);
}, 300_000);

test("a limit of 10 is reached after at most 12 failures that are spread over two regions, one a second", async () => {
  const address = addressOf(2, 1);
  const isBanned = async (): Promise<boolean> => {
    const { body } = await askAdmin(east, "GET", "/api/v1/bruteforce/list");
    return JSON.stringify(Object(body["result"])[0].ip_addresses).includes(`"${address}`);
  };
  let failures = 0;
  while (!(await isBanned())) {
    failures += 1;
    await fail(failures % 2 === 0 ? east : west, address, failures);
    await delay(1000);
  }
  process.stdout.write(`failures until the ban: ${failures}\n`);
  expect(failures).toBeGreaterThanOrEqual(limit);
  expect(failures).toBeLessThanOrEqual(12);
}, 60_000);

test("a cut of the link changes no answer and no time, and ten seconds after its return both regions know all bans", async () => {
  const [link] = joined.links;
  link?.cut();
  const from = performance.now();
  await inTurns(numbers(40), async (number) => banAt(number % 2 === 0 ? east : west, addressOf(3, number)));
  await delay(Math.max(0, 30_000 - (performance.now() - from)));
  expect((await runOperator(east.url, ["regions"])).out).toMatch(/west +down/u);
  // Each knows its own.
  expect([await statusFrom(east, addressOf(3, 2)), await statusFrom(west, addressOf(3, 1))]).toEqual([403, 403]);
  expect(quantileOf(loads[0]?.timesBetween(from, performance.now()) ?? [], 0.99)).toBeLessThan(2 * baseline + 100);
  link?.restore();
  link?.reset();
  const returned = performance.now();
  await inTurns(numbers(40), async (number) => {
    for (const site of [east, west]) await timeUntil(site, addressOf(3, number), 403);
  });
  const convergedMs = performance.now() - returned;
  process.stdout.write(`converged after ${Math.round(convergedMs)} ms\n`);
  expect(convergedMs).toBeLessThan(10_000);
  expect(loads.flatMap(({ refused }) => refused)).toEqual([]);
}, 180_000);

async function kill(site: Stack): Promise<void> {
  const servers = [...site.services.values(), ...site.engines, site.redis, site.nats];
  for (const server of new Set(servers)) server?.signal("SIGKILL");
  await Promise.all([...new Set(servers)].map(async (server) => server?.stop()));
}

test("while a region is dead, the others work as before, and it returns without its data with all bans in force", async () => {
  await loads[1]?.[Symbol.asyncDispose]();
  joined.links[0]?.restore();
  const from = performance.now();
  await kill(west);
  await banAt(east, addressOf(4, 1));
  await delay(15_000);
  expect(quantileOf(loads[0]?.timesBetween(from, performance.now()) ?? [], 0.99)).toBeLessThan(2 * baseline + 100);
  expect(loads[0]?.refused).toEqual([]);
  await poll("the ban in north", async () => (await statusFrom(north, addressOf(4, 1))) === 403);
  await Promise.all([west.startNats(), west.startRedis()]);
  await Promise.all([
    west.startEngine(),
    west.startEngine(),
    ...(["admin", "jobs-worker", "gateway"] as const).map((name) => west.start(name)),
  ]);
  const returned = performance.now();
  for (const address of [addressOf(4, 1), addressOf(3, 1), addressOf(3, 2), addressOf(2, 1)])
    await timeUntil(west, address, 403);
  process.stdout.write(`bans in force ${Math.round(performance.now() - returned)} ms after the return\n`);
  expect(await statusFrom(west, "203.0.113.9")).toBe(200);
  expect(loads[0]?.refused).toEqual([]);
}, 180_000);
