import { ChangeMarks } from "@postern/shared/domain/regions";
import {
  addReview,
  createRiskReviews,
  createRiskStore,
  createSharedFacts,
  createSharedFactsFlush,
  decodeAccountFacts,
  decodeReviews,
  encodeAccountFacts,
  encodeReviews,
  noteSignIn,
  riskSettings,
} from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { changedFactsKey, type RedisClient, riskAccountKey, riskReviewKey } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFactWriter } from "../../../services/auth-engine/src/risk/fact-writer.ts";
import { createFactsFeed } from "../../../services/jobs-worker/src/regions/merge/facts-feed.ts";
import { testRedis } from "../../support/redis-content.ts";

let server: RedisServer;
let redis: RedisClient;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
  // Every region of every run listens to it.
  redis.setMaxListeners(0);
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
if (!loaded.ok) throw new Error("the default configuration is invalid");
const settings = riskSettings(loaded.config.auth.risk);

const account = "a".repeat(22);
const names = { account: () => account, device: (_account: string, device: string) => device };
const time = { minute: 1_000_000 };
const clock = { now: () => time.minute * 60_000 };
let sessions = 0;

const lost = (): never => {
  throw new Error("a change was lost");
};
const accountForm = { decode: decodeAccountFacts, encode: encodeAccountFacts, lifeSeconds: () => 3600 };
const reviewForm = { decode: decodeReviews, encode: encodeReviews, lifeSeconds: () => 3600 };

/** What engines, idp and jobs-worker of one region do with the facts of one account, with its own prefix of keys. */
function createRegion(name: string) {
  const keyPrefix = `${name}:`;
  const marks = new ChangeMarks(redis, keyPrefix, changedFactsKey);
  const store = createRiskStore(redis, 5000, { markSoon: () => undefined });
  const mark = () => marks.mark([account]);
  const facts = createSharedFacts(redis, keyPrefix, () => settings);
  const feed = createFactsFeed({ redis, keyPrefix, facts, marks, clock });
  const reviews = createRiskReviews({ store, names, keyPrefix, settings: () => settings, clock });
  const flush = createSharedFactsFlush(redis, keyPrefix);
  const accounts = createFactWriter(store, accountForm, lost);
  const listed = createFactWriter(store, reviewForm, lost);
  const factsKey = riskAccountKey.build(keyPrefix, account);
  const reviewKey = riskReviewKey.build(keyPrefix, account);
  const valueOf = async (key: string): Promise<string> => (await redis.get(key)) ?? "";
  return {
    feed,
    reviews,
    stored: () => facts.read(account),
    facts: async () => decodeAccountFacts(await valueOf(factsKey)),
    mark,
    confirm: async (network: string): Promise<void> => {
      await reviews.confirm(account, network, "device");
      await mark();
    },
    reject: async (): Promise<void> => {
      await reviews.reject(account);
      await mark();
    },
    flush: async (): Promise<void> => {
      await flush(account);
      await mark();
    },
    signIn: async (number: number, isDoubted: boolean): Promise<void> => {
      const { minute } = time;
      const named = { minute, network: `n${number}`, protocol: `p${number}`, client: "" };
      const place = { country: "DE", system: number, location: undefined };
      const hold = isDoubted ? ({ kind: "mail", untilMinute: minute + settings.holdMinutes } as const) : undefined;
      accounts.add(factsKey, await valueOf(factsKey), (found) =>
        noteSignIn(found, { ...named, place, device: "" }, { isDoubted, hold, ages: settings }),
      );
      await accounts.flush();
      if (isDoubted) {
        sessions += 1;
        const rest = { country: "DE", system: number, level: "dangerous", signals: [], refusal: "", isRefused: false };
        const review = { ...named, ...rest, session: `s${sessions}`, score: 80 + (number % 3) };
        listed.add(reviewKey, await valueOf(reviewKey), (found) => addReview(found, review));
        await listed.flush();
      }
      await mark();
    },
  };
}

type Region = ReturnType<typeof createRegion>;

async function deliver(to: Region, items: readonly unknown[]): Promise<void> {
  for (const item of items) expect(await to.feed.apply("another", [item])).toBe(0);
}

async function itemsOf(region: Region): Promise<readonly unknown[]> {
  return (await region.feed.read(undefined)).items;
}

/** Until no region learns anything. */
async function exchange(regions: readonly Region[]): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const before = JSON.stringify(await Promise.all(regions.map((region) => region.stored())));
    for (const from of regions) {
      const items = await itemsOf(from);
      for (const to of regions) await deliver(to, items);
    }
    if (JSON.stringify(await Promise.all(regions.map((region) => region.stored()))) === before) return;
  }
  throw new Error("the regions do not come to rest");
}

let runs = 0;
const regionsOf = (count: number): readonly Region[] => {
  runs += 1;
  return Array.from({ length: count }, (_, index) => createRegion(`r${runs}-${index}`));
};

const at = fc.nat(2);
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("signIn", "doubt"), at, of: fc.nat(15) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("confirm", "reject", "flush"), at, of: fc.nat(15) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver"), at, of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait"), at, of: fc.nat(3000) }) },
);

const acts: Readonly<Record<string, (region: Region, of: number) => Promise<void>>> = {
  signIn: (region, of) => region.signIn(of, false),
  doubt: (region, of) => region.signIn(of, true),
  confirm: (region, of) => region.confirm(`n${of}`),
  reject: (region) => region.reject(),
  flush: (region) => region.flush(),
  wait: async (_region, of) => {
    time.minute += of;
  },
};

test("in whatever order and however often regions hear of each other, they end with the same facts, suspicious sign-ins and answers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (list) => {
      const regions = regionsOf(3);
      // What was read earlier arrives late, and more than once.
      const sent: unknown[] = [];
      for (const step of list) {
        const region = regions[step.at];
        if (region === undefined) continue;
        time.minute += 1;
        await acts[step.do]?.(region, step.of);
        sent.push(...(await itemsOf(region)));
        const late = sent[step.of % Math.max(1, sent.length)];
        if (step.do === "deliver" && late !== undefined) await deliver(region, [late, late]);
      }
      await exchange(regions);
      const [first, ...others] = await Promise.all(regions.map((region) => region.stored()));
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: 60 },
  );
});

test("an answer in one region ends the sign-in and the hold in the other, and what was read before it does not bring them back", async () => {
  const [east, west] = regionsOf(2);
  if (east === undefined || west === undefined) throw new Error("there are two regions");
  await east.signIn(1, false);
  await exchange([east, west]);
  await west.signIn(2, true);
  time.minute += 1;
  await east.signIn(3, true);
  await exchange([east, west]);
  expect((await east.reviews.list("alice")).map(({ network }) => network)).toEqual(["n3", "n2"]);
  const [early] = await itemsOf(east);
  time.minute += 1;
  await west.confirm("n3");
  await exchange([east, west]);
  await deliver(west, [early]);
  await exchange([east, west]);
  for (const region of [east, west]) {
    expect((await region.reviews.list("alice")).map(({ network }) => network)).toEqual(["n2"]);
    expect((await region.facts())?.hold).toBeUndefined();
  }
  await east.reject();
  await exchange([east, west]);
  expect(await west.reviews.list("alice")).toEqual([]);
  // It remains a doubt.
  expect(await west.reviews.earliestUnanswered("alice")).toBeDefined();
});

test("facts from before a flush do not return, and those from after it do", async () => {
  const [east, west] = regionsOf(2);
  if (east === undefined || west === undefined) throw new Error("there are two regions");
  await west.signIn(1, false);
  await exchange([east, west]);
  const [early] = await itemsOf(west);
  await east.flush();
  await east.signIn(2, false);
  await deliver(east, [early]);
  await exchange([east, west]);
  await deliver(west, [early]);
  for (const region of [east, west]) expect((await region.facts())?.networks.map(({ id }) => id)).toEqual(["n2"]);
});
