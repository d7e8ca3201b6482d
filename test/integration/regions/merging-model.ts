import type { RedisClient } from "@postern/shared/platform/redis";
import { spawnRedis } from "@postern/testing";
import fc from "fast-check";
import { expect } from "vitest";
import { testRedis } from "../../support/redis-content.ts";
import { createMergingRegion, type MergingRegion, type Message } from "./merging-region.ts";

let redis: RedisClient;

const names = ["east", "west", "north"] as const;
const addresses = ["192.0.2.1", "192.0.2.2"];
const users = ["alice", "bob"];

type Step =
  | { readonly do: "fail" | "storm" | "flush" | "flushOneRule"; readonly at: number; readonly address: string }
  | {
      readonly do: "failAccount" | "flushAccount" | "suspend" | "resume" | "revoke";
      readonly at: number;
      readonly user: string;
    }
  /** Some of what this region has told by now arrives at another one, in this order, twice. */
  | { readonly do: "deliver"; readonly at: number; readonly to: number; readonly order: number };

const at = fc.nat(names.length - 1);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom("fail", "storm", "flush", "flushOneRule"),
    at,
    address: fc.constantFrom(...addresses),
  }),
  fc.record({
    do: fc.constantFrom("failAccount", "flushAccount", "suspend", "resume", "revoke"),
    at,
    user: fc.constantFrom(...users),
  }),
  fc.record({ do: fc.constant("deliver"), at, to: at, order: fc.nat() }),
);

/** A repeatable order of some of the messages. */
function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  let state = seed + 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  return items
    .map((item) => ({ item, key: next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

let passwords = 0;
const suspension = (account: string) => ({ account, sinceMs: 1, by: "operator", session: "s" });

type Deliver = Extract<Step, { readonly do: "deliver" }>;
const isDelivery = (step: Step): step is Deliver => step.do === "deliver";

async function deliver(from: MergingRegion, { to, order }: Deliver, regions: readonly MergingRegion[]): Promise<void> {
  const other = regions[to];
  if (other === undefined || other === from) return;
  const messages = shuffled(await from.messages(), order);
  const some = messages.slice(0, Math.ceil(messages.length / 2));
  for (const message of [...some, ...some]) await other.receive(from.name, message);
}

type Act = (region: MergingRegion, of: string) => Promise<unknown>;

const failOften = async ({ counting }: MergingRegion, address: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) await counting.fail(address, `wrong-${passwords}-${time}`);
};

const acts: Readonly<Record<Exclude<Step["do"], "deliver">, Act>> = {
  fail: (region, address) => failOften(region, address, 1),
  storm: (region, address) => failOften(region, address, 10),
  flush: ({ counting }, ipAddress) => counting.state.flush({ ipAddress, ruleName: "*" }),
  flushOneRule: ({ counting }, ipAddress) => counting.state.flush({ ipAddress, ruleName: "net" }),
  failAccount: (region, user) => region.failAccount(user, `wrong-${passwords}`),
  flushAccount: ({ counting }, user) => counting.state.flushAccount(user),
  suspend: ({ suspensions }, user) => suspensions.suspend(suspension(user)),
  resume: ({ suspensions }, user) => suspensions.resume(user),
  revoke: ({ revoker }, user) => revoker.denySubject("https://issuer.example", user),
};

async function take(step: Step, regions: readonly MergingRegion[]): Promise<void> {
  const region = regions[step.at];
  if (region === undefined) throw new Error("no such region");
  passwords += 1;
  if (isDelivery(step)) await deliver(region, step, regions);
  else await acts[step.do](region, "address" in step ? step.address : step.user);
}

/** Everything arrives everywhere, in some order: until nothing new is told. */
async function converge(regions: readonly MergingRegion[], seed: number): Promise<void> {
  for (const round of [0, 1, 2]) {
    for (const from of regions) {
      const messages: readonly Message[] = shuffled(await from.messages(), seed + round);
      const deliveries = regions
        .filter((to) => to !== from)
        .flatMap((to) => messages.map((message) => ({ to, message })));
      for (const { to, message } of deliveries) await to.receive(from.name, message);
    }
  }
}

const keysOf = async (region: MergingRegion, pattern: string): Promise<readonly string[]> =>
  (await redis.keys(`${region.prefix}${pattern}`)).toSorted();
const withoutPrefix = (region: MergingRegion, key: string): string => key.slice(region.prefix.length);

/** Bans by key: which are in force, and which are removed, without their ends. */
async function bansAt(region: MergingRegion): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of await keysOf(region, "bf:*:ban:*")) {
    const [began = "", end = "", ...scope] = ((await redis.get(key)) ?? "").split(" ");
    const origins = await redis.hgetall(key.replace(":ban:", ":origins:"));
    const ids = Object.entries(origins).filter(([id, value]) => id !== "" && Number(value) > 0);
    const isOwn = origins[""] !== [began, end, ...scope].join(" ");
    const own = isOwn ? [`${region.name} ${began}`] : [];
    found[withoutPrefix(region, key)] = [...new Set([...ids.map(([id]) => id), ...own])].toSorted();
  }
  return found;
}

/** For each count, what a region knows about each of them: its own from where it counts, the others' from what they sent. */
async function countsAt(region: MergingRegion): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  const note = (key: string, of: string, figures: string): void => {
    if (!/^(?:0 ?|\d{13} ?)*$/u.test(figures)) found[key] = { ...found[key], [of]: figures };
  };
  for (const key of await keysOf(region, "bf:*count:*")) {
    const figures = await redis.hmget(key, "k", "u");
    note(withoutPrefix(region, key).replace(":count:", ":elsewhere:"), region.name, figures.join(" "));
  }
  for (const key of await keysOf(region, "bf:failed:*"))
    note(withoutPrefix(region, key).replace("failed", "elsewhere"), region.name, String(await redis.scard(key)));
  for (const key of await keysOf(region, "bf:*elsewhere:*")) {
    const entries = ((await redis.get(key)) ?? "").split(";");
    expect(new Set(entries.map((entry) => entry.split(" ", 1)[0])).size).toBe(entries.length);
    for (const entry of entries) {
      const [of = "", , , , ...figures] = entry.split(" ");
      const own = figures.length === 5 ? figures.slice(1, 3) : figures.slice(0, 1);
      note(withoutPrefix(region, key), of, own.join(" "));
    }
  }
  return found;
}

async function stateOf(region: MergingRegion) {
  const { "": _version, ...suspended } = await redis.hgetall(`${region.prefix}suspensions`);
  const epochs: Record<string, string | null> = {};
  for (const key of await keysOf(region, "token:epoch:*")) epochs[withoutPrefix(region, key)] = await redis.get(key);
  return { bans: await bansAt(region), counts: await countsAt(region), suspended, epochs };
}

/** Any order, repetition and loss of messages, with everything sent again at the end, leads to the same state. Resolves to the number of histories. */
export async function mergeInAnyOrder(numRuns: number): Promise<number> {
  let histories = 0;
  await using server = await spawnRedis();
  redis = await testRedis(server.port);
  // Every region of every run listens to it.
  redis.setMaxListeners(0);
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 30 }), fc.nat(), async (taken, seed) => {
      await redis.flushall();
      const regions = await Promise.all(
        names.map((name) =>
          createMergingRegion(
            redis,
            name,
            names.filter((other) => other !== name),
          ),
        ),
      );
      try {
        for (const step of taken) await take(step, regions);
        await converge(regions, seed);
        const [first, ...others] = await Promise.all(regions.map(stateOf));
        for (const other of others) expect(other).toEqual(first);
        histories += 1;
      } finally {
        for (const { suspensions } of regions) suspensions.close();
      }
    }),
    { numRuns },
  );
  redis.disconnect();
  return histories;
}
