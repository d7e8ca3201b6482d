import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type JoinedSites, startJoinedSites } from "../../support/joined-sites.ts";
import { sessionStore, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { runOperator } from "../../support/run-operator.ts";
import type { Stack } from "../../support/stack.ts";

const owned = new AsyncDisposableStack();
let joined: JoinedSites;
let east: Stack;
let west: Stack;
let redisOfWest: RedisClient;

const bucket = { name: "net", period: "1h", ban_time: "1h", failed_requests: 3, ipv4: true, cidr: 32 };

beforeAll(async () => {
  joined = owned.use(
    await startJoinedSites(["east", "west"], () => ({
      services: ["idp"],
      settings: {
        auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } } },
        identity: {
          frontend: { enabled: true },
          oidc: { enabled: true, issuer: "http://localhost:8080" },
        },
      },
    })),
  );
  const [first, second] = joined.sites;
  if (first === undefined || second === undefined) throw new Error("there are no two sites");
  [east, west] = [first, second];
  redisOfWest = await testRedis(west.redis?.port ?? 0);
  owned.defer(() => redisOfWest.disconnect());
  await poll("the links", async () => (await regions(east)).code === 0 && (await regions(west)).code === 0);
});

afterAll(() => owned.disposeAsync());

const regions = ({ url }: Stack, ...args: readonly string[]) => runOperator(url, ["regions", ...args]);

const statusAt = async ({ url }: Stack, more: object = {}): Promise<number> =>
  (await askJson(url, { ...alice, ...more })).status;

const soon = (what: string, site: Stack, more: object, status: number): Promise<unknown> =>
  poll(what, async () => (await statusAt(site, more)) === status);

test("a ban of one region refuses in the other one, and an unban there ends it everywhere", async () => {
  const from = { client_ip: "192.0.2.10" };
  expect(await statusAt(west, from)).toBe(200);
  for (const password of ["wrong-1", "wrong-2", "wrong-3"]) await statusAt(east, { ...from, password });
  expect(await statusAt(east, from)).toBe(403);
  await soon("the ban in west", west, from, 403);
  const bans = await runOperator(west.url, ["bans"]);
  expect(bans.out).toContain("192.0.2.10");
  expect((await runOperator(west.url, ["unban", "192.0.2.10"])).code).toBe(0);
  expect(await statusAt(west, from)).toBe(200);
  await soon("the end of the ban in east", east, from, 200);
  // Neither region sends the ban again.
  expect(await statusAt(west, from)).toBe(200);
});

test("failures in both regions count together", async () => {
  const from = { client_ip: "192.0.2.11" };
  await statusAt(east, { ...from, password: "wrong-1" });
  await poll(
    "the count of east in west",
    async () => (await redisOfWest.keys("*:elsewhere:net:192.0.2.11*")).length > 0,
  );
  await statusAt(west, { ...from, password: "wrong-2" });
  await statusAt(west, { ...from, password: "wrong-3" });
  expect(await statusAt(west, from)).toBe(403);
});

test("an account is suspended in one region and resumed in the other", async () => {
  expect((await runOperator(east.url, ["suspend", alice.username])).code).toBe(0);
  await soon("the suspension in west", west, {}, 403);
  expect((await runOperator(west.url, ["resume", alice.username])).code).toBe(0);
  await soon("the end of the suspension in east", east, {}, 200);
});

test("sessions that an operator ends in one region end in the other one, and later ones stay", async () => {
  const account = "bob@example.test";
  const store = sessionStore(redisOfWest);
  await signedIn(redisOfWest, account);
  expect(await store.list(account)).toHaveLength(1);
  expect((await runOperator(east.url, ["sessions", account, "--kill", "all"])).code).toBe(0);
  await poll("the end of the session in west", async () => (await store.list(account)).length === 0);
  await signedIn(redisOfWest, account);
  // A later event of east has arrived after whatever could end this session.
  const from = { client_ip: "192.0.2.12" };
  for (const password of ["wrong-1", "wrong-2", "wrong-3"]) await statusAt(east, { ...from, password });
  await soon("the ban in west", west, from, 403);
  expect(await store.list(account)).toHaveLength(1);
});

test("a password that was changed is forgotten in both regions when one flushes the account", async () => {
  const user = { username: "carol@example.test", password: "carol-demo-password" };
  for (const site of [east, west]) expect(await statusAt(site, user)).toBe(200);
  for (const { folder } of [east, west]) {
    using database = new DatabaseSync(join(folder, "directory.sqlite"));
    database.exec(
      "UPDATE users SET password = (SELECT password FROM users WHERE username = 'bob@example.test') WHERE username = 'carol@example.test'",
    );
  }
  // From the cache.
  expect(await statusAt(west, user)).toBe(200);
  expect((await runOperator(east.url, ["flush", user.username])).code).toBe(0);
  await soon("the flush in west", west, user, 403);
});

test("a region is forgotten and met again, and a cut link is shown", async () => {
  expect((await regions(west, "forget", "east")).code).toBe(0);
  await poll("the region to be met again", async () => {
    const { out } = await regions(west, "--json");
    const [{ is_forgetting: isForgetting, snapshot, link }] = JSON.parse(out).regions;
    return !isForgetting && link === "up" && snapshot !== undefined;
  });
  joined.links[0]?.cut();
  await poll("the cut link", async () => (await regions(east)).out.match(/west +down/u) !== null);
  // Each region decides alone.
  expect([await statusAt(east), await statusAt(west)]).toEqual([200, 200]);
  joined.links[0]?.restore();
  await poll("the link to return", async () => (await regions(east)).code === 0);
});
