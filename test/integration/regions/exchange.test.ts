import { createRegionEnvelope, createRegionStatuses, regionEnvelopePurpose } from "@postern/shared/domain/regions";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { redisContent } from "../../support/redis-content.ts";
import { failureCode, makeBus, soon } from "../bus/bus-fixture.ts";
import { ban, keyPrefix, type RegionPair, startRegionPair, type TestRegion } from "./region-pair.ts";

let owned: AsyncDisposableStack;
let pair: RegionPair;

beforeEach(async () => {
  owned = new AsyncDisposableStack();
  pair = await startRegionPair(owned);
});
afterEach(() => owned.disposeAsync());

const idsAt = ({ appliers }: TestRegion): readonly string[] => appliers.arrived.map(({ id }) => id);
const statusesOf = ({ redis }: TestRegion) => createRegionStatuses(redis, keyPrefix, systemClock);

async function statusAt(region: TestRegion, peer: string) {
  const { regions } = await statusesOf(region).read();
  return regions.find(({ name }) => name === peer);
}

const isUp = async (region: TestRegion, peer: string): Promise<boolean> =>
  (await statusAt(region, peer))?.position !== undefined;

async function bothStarted(): Promise<void> {
  const { east, west } = pair;
  await Promise.all([east.startWorker(), west.startWorker()]);
  await expect.poll(() => isUp(west, "east")).toBe(true);
  await expect.poll(() => isUp(east, "west")).toBe(true);
}

test("an event of each region reaches the other one, once, with its age", async () => {
  await bothStarted();
  await pair.east.log.append(ban("of-east"));
  await pair.west.log.append(ban("of-west-1"), ban("of-west-2"));
  await expect.poll(() => idsAt(pair.west)).toEqual(["of-east"]);
  await expect.poll(() => idsAt(pair.east).toSorted()).toEqual(["of-west-1", "of-west-2"]);
  expect(pair.west.appliers.arrived[0]).toMatchObject({ region: "east" });
  expect(pair.west.appliers.arrived[0]?.ageMs).toBeGreaterThanOrEqual(0);
  await expect
    .poll(() => statusAt(pair.west, "east"))
    .toMatchObject({ link: "up", waiting: 0, applied: 1, dropped: {} });
});

test("what happens while the link is cut arrives when it returns, from the position on", async () => {
  await bothStarted();
  await pair.east.log.append(ban("before"));
  await expect.poll(() => idsAt(pair.west)).toEqual(["before"]);
  pair.link.cut();
  await expect.poll(() => statusAt(pair.west, "east")).toMatchObject({ link: "down" });
  const events = Array.from({ length: 2500 }, (_, index) => ban(`during-${index}`));
  for (let start = 0; start < events.length; start += 500)
    await pair.east.log.append(...events.slice(start, start + 500));
  expect(idsAt(pair.west)).toEqual(["before"]);
  pair.link.restore();
  await expect.poll(() => new Set(idsAt(pair.west)).size).toBe(2501);
  const oldest = pair.west.appliers.arrived.find(({ id }) => id === "during-0");
  expect(oldest?.ageMs).toBeGreaterThan(100);
  await expect.poll(() => statusAt(pair.west, "east")).toMatchObject({ link: "up", waiting: 0 });
});

test("a region that meets another, or whose place in the log is gone, reads its state in pages, and what the log still has", async () => {
  const { east, west } = pair;
  east.appliers.state.push(...["a", "b", "c", "d", "e"].map(ban));
  await east.log.append(ban("of-the-log"));
  await bothStarted();
  await expect.poll(() => idsAt(west).toSorted()).toEqual(["a", "b", "c", "d", "e", "of-the-log"]);
  await expect.poll(() => statusAt(west, "east")).toHaveProperty("snapshotMs");
  const first = await statusAt(west, "east");
  // Redis of east lost its data, the log included.
  await east.redis.del(`${keyPrefix}regions:log`);
  east.appliers.state.splice(0, 5, ban("after-the-loss"));
  await expect.poll(() => idsAt(west)).toContain("after-the-loss");
  await east.log.append(ban("f"));
  await expect.poll(() => idsAt(west)).toContain("f");
  const isLater = async (): Promise<boolean> =>
    Number((await statusAt(west, "east"))?.snapshotMs) > Number(first?.snapshotMs);
  await expect.poll(isLater).toBe(true);
});

test("what cannot be read or applied is dropped and counted, and does not hold up what is behind it", async () => {
  const { east, west } = pair;
  await bothStarted();
  west.appliers.before = async ({ kind }) => {
    if (kind === "account-flush") throw new TypeError("a fault of the merge");
  };
  const [newest] = await east.redis.xrevrange(`${keyPrefix}regions:log`, "+", "-", "COUNT", 1);
  const number = Number(newest?.[1][1]);
  await east.redis.xadd(`${keyPrefix}regions:log`, "*", "n", number + 1, "e", "bm90IHNlYWxlZA");
  await east.log.append({ kind: "account-flush", user: "u" }, ban("behind"));
  await expect.poll(() => idsAt(west)).toEqual(["behind"]);
  await expect
    .poll(() => statusAt(west, "east"))
    .toMatchObject({ applied: 1, dropped: { malformed: 1, failed: 1 }, waiting: 0 });
});

test("what others send to the subjects of a region is neither answered nor applied", async () => {
  const { east, west } = pair;
  await bothStarted();
  const stranger = owned.adopt(await makeBus(east.nats.url, { namespace: "postern-regions" }), (bus) => bus.close());
  const ask = (body: Buffer) =>
    failureCode(stranger.rawRequest({ service: "west", name: "pull", major: 1 }, body, soon(10_000)));
  const foreign = createRegionEnvelope(createKeyRing([new Secret("another secret")], regionEnvelopePurpose));
  const request = { feed: "log", nonce: "0123456789abcdef" };
  expect(await ask(Buffer.from("east\nnot sealed"))).toBe("REQUEST_MALFORMED");
  expect(await ask(foreign.seal(request, "east", { method: "pull", to: "west" }))).toBe("REQUEST_MALFORMED");
  await east.log.append(ban("a"));
  await expect.poll(() => idsAt(west)).toEqual(["a"]);
});

test("a false reply is dropped and counted", async () => {
  const { east, west } = pair;
  await bothStarted();
  // In the queue group of the region, as a server with its rights in NATS could be.
  const impostor = owned.adopt(await makeBus(east.nats.url, { namespace: "postern-regions" }), (bus) => bus.close());
  const serving = impostor.rawServe({ service: "east", name: "pull", major: 1 }, () => Buffer.from("east\nfalse"));
  await impostor.flush();
  await expect.poll(() => statusAt(west, "east").then((status) => status?.dropped.unauthentic ?? 0)).toBeGreaterThan(0);
  await serving.drain();
  await east.log.append(ban("a"));
  await expect.poll(() => idsAt(west)).toContain("a");
});

test("a feed tells what has changed since the last time", async () => {
  const { east, west } = pair;
  await bothStarted();
  east.appliers.counts.push(1, 2);
  await expect.poll(() => west.appliers.items).toEqual([1, 2]);
  east.appliers.counts.push(3, "not a number");
  await expect.poll(() => west.appliers.items).toEqual([1, 2, 3]);
  await expect.poll(() => statusAt(west, "east")).toMatchObject({ dropped: { malformed: 1 } });
});

test("another worker goes on where one that ends, or is killed, has stopped", async () => {
  const { east, west } = pair;
  const first = await west.startWorker();
  await east.startWorker();
  await east.log.append(ban("one"));
  await expect.poll(async () => (await statusAt(west, "east"))?.link).toBe("up");
  await west.startWorker();
  await first.stop();
  await east.log.append(ban("two"));
  await expect.poll(() => idsAt(west)).toContain("two");
  // A killed worker leaves its lease behind.
  await west.redis.set(`${keyPrefix}regions:lease`, "a worker that was killed", "PX", 3000);
  await poll(
    "the other worker stops reading",
    async () => (await west.redis.get(`${keyPrefix}regions:lease`)) === "west-2",
  );
  await east.log.append(ban("three"));
  await expect.poll(() => idsAt(west)).toContain("three");
  expect(idsAt(west).filter((id) => id === "two")).toHaveLength(1);
});

test("an event that cannot be applied yet is applied later", async () => {
  const { east, west } = pair;
  await bothStarted();
  let failures = 0;
  west.appliers.before = async () => {
    failures += 1;
    if (failures < 3) throw new AppError("REDIS_UNAVAILABLE");
  };
  await east.log.append(ban("a"));
  await expect.poll(() => idsAt(west)).toEqual(["a"]);
  await expect.poll(() => statusAt(west, "east")).toMatchObject({ applied: 1, dropped: {} });
});

test("neither Redis shows the name in an event", async () => {
  const { east, west } = pair;
  await bothStarted();
  await east.log.append({ kind: "account-flush", user: "alice-whose-name-is-secret" });
  await expect.poll(() => statusAt(west, "east")).toMatchObject({ applied: 1 });
  expect(await redisContent(east.redis)).not.toContain("alice");
  expect(await redisContent(west.redis)).not.toContain("alice");
});

test("a region whose Redis has lost its data reads the state of the others again", async () => {
  const { east, west } = pair;
  await bothStarted();
  await east.log.append(ban("a"));
  await expect.poll(() => idsAt(west)).toEqual(["a"]);
  east.appliers.state.push(ban("in force"));
  await west.redis.flushall();
  await expect.poll(() => idsAt(west)).toEqual(["a", "in force", "a"]);
});

test("an operator has a region forgotten: it is met as a new one", async () => {
  const { east, west } = pair;
  await bothStarted();
  await east.log.append(ban("a"));
  await expect.poll(() => idsAt(west)).toEqual(["a"]);
  east.appliers.state.push(ban("in force"));
  await statusesOf(west).forget("east");
  await expect.poll(() => idsAt(west)).toEqual(["a", "in force", "a"]);
});
