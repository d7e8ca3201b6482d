import {
  addReview,
  createRiskStore,
  decodeAccountFacts,
  decodeReviews,
  decodeSourceFacts,
  encodeAccountFacts,
  encodeReviews,
  encodeSourceFacts,
  noteAccountOfSource,
  noteSignIn,
  riskSettings,
  riskSignals,
} from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { type RedisClient, riskNoticeKey, riskReviewKey, riskSourceKey } from "@postern/shared/platform/redis";
import { pause, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFactWriter } from "../../../services/auth-engine/src/risk/fact-writer.ts";
import type { RiskNotices } from "../../../services/auth-engine/src/risk/notices-redis.ts";
import { createRiskNotices } from "../../../services/auth-engine/src/risk/notices-redis.ts";
import { testRedis } from "../../support/redis-content.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await spawnRedis();
});

afterAll(() => server[Symbol.asyncDispose]());

function defaultSettings() {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  return riskSettings(loaded.config.auth.risk);
}

const minute = 1_000_000;

function engineOf(client: RedisClient, onLost: (count: number) => void) {
  const store = createRiskStore(client, 5000);
  const { ttlSeconds: sourceSeconds } = riskSourceKey;
  const { ttlSeconds: reviewSeconds } = riskReviewKey;
  const account = { decode: decodeAccountFacts, encode: encodeAccountFacts, lifeSeconds: () => 3600 };
  const source = { decode: decodeSourceFacts, encode: encodeSourceFacts, lifeSeconds: () => sourceSeconds };
  const review = { decode: decodeReviews, encode: encodeReviews, lifeSeconds: () => reviewSeconds };
  return {
    accounts: createFactWriter(store, account, onLost),
    sources: createFactWriter(store, source, onLost),
    reviews: createFactWriter(store, review, onLost),
  };
}

/** A dangerous sign-in with a network, system, protocol and program of its own, and the longest reasons. */
function meet({ accounts, sources, reviews }: ReturnType<typeof engineOf>, number: number): void {
  const network = `n${number}`;
  const named = { minute, network, protocol: network, client: network };
  const place = { country: "", system: number, location: undefined };
  const ages = defaultSettings();
  accounts.add("account", "", (facts) =>
    noteSignIn(facts, { ...named, place, device: "" }, { isDoubted: false, ages }),
  );
  sources.add("source", "", (facts) => noteAccountOfSource(facts, { account: network, meeting: "strange", minute }));
  const signals = riskSignals.map((signal) => `${signal}: ${"x".repeat(80)}`);
  const about = { session: network, country: "DE", system: number };
  const review = { ...named, ...about, score: 400, level: "dangerous", signals, refusal: "deny", isRefused: true };
  reviews.add("review", "", (found) => addReview(found, review));
}

test("whatever two engines see, the values stay within their bounds, and each keeps the lifetime that its writer sets", async () => {
  const lost: number[] = [];
  const clients = [await testRedis(server.port), await testRedis(server.port)] as const;
  const engines = clients.map((client) => engineOf(client, (count) => lost.push(count)));
  for (let number = 1; number <= 200; number += 1) {
    for (const engine of engines) meet(engine, number);
    if (number % 10 > 0) continue;
    await Promise.all(engines.flatMap((engine) => Object.values(engine).map((writer) => writer.flush())));
  }
  const [client] = clients;
  const [account = "", source = "", review = ""] = (await client.mget("account", "source", "review")).map(String);
  const facts = decodeAccountFacts(account);
  // Of the twelve places, eight are for known networks.
  expect(facts?.networks).toHaveLength(4);
  expect([facts?.systems.length, facts?.protocols.length, facts?.clients.length]).toEqual([8, 5, 4]);
  expect([account.length < 1000, source.length < 250]).toEqual([true, true]);
  expect(decodeReviews(review)).toHaveLength(8);
  const lives = [await client.ttl("account"), await client.ttl("source"), await client.ttl("review")];
  const maxLives = [3600, riskSourceKey.ttlSeconds, riskReviewKey.ttlSeconds];
  expect(lives.every((life, index) => life > 0 && life <= (maxLives[index] ?? 0))).toBe(true);
  expect(lost).toEqual([]);
  for (const one of clients) one.disconnect();
});

test("engines that add networks to one account at the same time lose none of them", async () => {
  const ages = defaultSettings();
  const lost: number[] = [];
  const form = { decode: decodeAccountFacts, encode: encodeAccountFacts, lifeSeconds: () => 60 };
  const clients = await Promise.all(Array.from({ length: 3 }, () => testRedis(server.port)));
  const writers = clients.map((client) =>
    createFactWriter(createRiskStore(client, 5000), form, (count) => lost.push(count)),
  );
  writers.forEach((writer, engine) => {
    const place = { country: "DE", system: 1, location: undefined };
    const signIn = { minute: 100, network: `network${engine}`, place, protocol: "imap", client: "", device: "" };
    writer.add("facts", "", (facts) => noteSignIn(facts, signIn, { isDoubted: false, ages }));
  });
  await Promise.all(writers.map((writer) => writer.flush()));
  const [client] = clients;
  const facts = decodeAccountFacts((await client?.get("facts")) ?? "");
  expect(lost).toEqual([]);
  expect(facts?.networks.map(({ id }) => id).toSorted()).toEqual(["network0", "network1", "network2"]);
  expect(await client?.ttl("facts")).toBeGreaterThan(0);
  for (const one of clients) one.disconnect();
});

test("while Redis hangs, two engines keep a bounded number of changes, count the others as lost, and write those once it is back", async () => {
  const lost = [0, 0];
  const clients = await Promise.all([testRedis(server.port), testRedis(server.port)]);
  const engines = clients.map((client, engine) =>
    engineOf(client, (count) => {
      lost[engine] = (lost[engine] ?? 0) + count;
    }),
  );
  const ages = defaultSettings();
  const place = { country: "DE", system: 1, location: undefined };
  const signIn = { minute, place, protocol: "imap", client: "", device: "" };
  const addAll = (prefix: string): void => {
    for (const { accounts } of engines) {
      for (let number = 0; number < 5000; number += 1) {
        const one = { ...signIn, network: `n${number % 40}` };
        accounts.add(`${prefix}${number}`, "", (facts) => noteSignIn(facts, one, { isDoubted: false, ages }));
      }
      for (let number = 0; number < 40; number += 1) {
        accounts.add(`${prefix}0`, "", (facts) => noteSignIn(facts, signIn0(number), { isDoubted: false, ages }));
      }
    }
  };
  const signIn0 = (number: number) => ({ ...signIn, network: `m${number}` });
  await pause(server);
  addAll("hanging:");
  // 4096 of 5000 accounts, and 32 changes of one of them.
  expect(lost).toEqual([904 + 9, 904 + 9]);
  const flushing = engines.map(({ accounts }) => accounts.flush());
  server.signal("SIGCONT");
  await Promise.all(flushing);
  const [client] = clients;
  expect(await client?.exists(...Array.from({ length: 4096 }, (_, number) => `hanging:${number}`))).toBe(4096);
  expect(await client?.exists("hanging:4096")).toBe(0);
  expect(lost).toEqual([904 + 9, 904 + 9]);
  for (const one of clients) one.disconnect();
});

async function withNotices(act: (server: RedisServer, engines: readonly RiskNotices[]) => Promise<void>) {
  await using own = await spawnRedis();
  const clients = await Promise.all([testRedis(own.port), testRedis(own.port)]);
  const engines = clients.map((redis) =>
    createRiskNotices({ redis, keyPrefix: "p:", timeoutMs: 2000, claimSeconds: 8 }),
  );
  try {
    await act(own, engines);
  } finally {
    for (const client of clients) client.disconnect();
  }
}

const claims = (engines: readonly RiskNotices[], account: string, network = "n") =>
  Promise.all([...engines, ...engines].map((engine) => engine.claim(account, network)));
const all = (claim: string): readonly string[] => Array.from({ length: 4 }, () => claim);

test("of engines that meet the same network of an account, one notifies; while Redis is unavailable, each does", async () => {
  await withNotices(async (own, engines) => {
    for (let round = 0; round < 50; round += 1) {
      for (const [account, network] of [
        [`a${round}`, "n"],
        [`a${round}`, "m"],
        [`b${round}`, "n"],
      ] as const) {
        const found = await claims(engines, account, network);
        expect(found.toSorted()).toEqual(["own", "pending", "pending", "pending"]);
      }
    }
    await pause(own);
    expect(await claims(engines, "hanging")).toEqual(all("own"));
    own.signal("SIGCONT");
    await own.stop();
    expect(await claims(engines, "gone")).toEqual(all("own"));
    await Promise.all(engines.map((engine) => engine.settle("gone", "n")));
  });
});

test("a claim ends by itself, and an engine settles it only if no other engine has it", async () => {
  await withNotices(async ({ port }, engines) => {
    const client = await testRedis(port);
    const [first, second] = engines;
    if (first === undefined || second === undefined) throw new Error("there are two engines");
    const key = riskNoticeKey.build("p:", "a", "n");
    expect([await first.claim("a", "n"), await second.claim("a", "n")]).toEqual(["own", "pending"]);
    const claimed = await client.ttl(key);
    expect([claimed > 0, claimed <= 8]).toEqual([true, true]);
    // The end of its life.
    await client.del(key);
    expect([await second.claim("a", "n"), await first.claim("a", "n")]).toEqual(["own", "pending"]);
    await first.settle("a", "n");
    expect(await first.claim("a", "n")).toBe("pending");
    await second.settle("a", "n");
    expect(await claims(engines, "a")).toEqual(all("sent"));
    const life = await client.ttl(key);
    expect([life > 8, life <= riskNoticeKey.ttlSeconds]).toEqual([true, true]);
    // The answer came when the claim had ended.
    await first.settle("late", "n");
    expect(await second.claim("late", "n")).toBe("sent");
    // Set by an earlier version.
    await client.set(riskNoticeKey.build("p:", "earlier", "n"), "1", "EX", 60, "NX");
    expect(await second.claim("earlier", "n")).toBe("sent");
    client.disconnect();
  });
});
