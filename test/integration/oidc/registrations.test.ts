import { loadConfig } from "@postern/shared/platform/config";
import { oidcRegisteredIndexKey, type RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRegisterClient } from "../../../services/idp/src/oidc/registration/register-client.ts";
import { testRedis } from "../../support/redis-content.ts";
import { body, clock, keyPrefix, network, replicaAt, scope } from "./registration-replica.ts";

let server: RedisServer;
let redis: RedisClient;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

beforeEach(async () => {
  await redis.flushall();
  clock.nowMs = Date.now();
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const replica = (mail?: object, full?: object) => replicaAt(redis, mail, full);

test("2,000 registrations from 1,000 networks at two replicas leave no more than the maximum", async () => {
  const limits = { max_registrations: 300, max_pending_per_network: 2, per_minute: 10_000 };
  const [one, other] = [replica(limits), replica(limits)];
  const outcomes = new Map<string, number>();
  for (let from = 0; from < 2000; from += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? one : other).register({ body, bearer: undefined, clientIp: network((from + index) % 1000) }),
      ),
    );
    for (const { outcome } of answers) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(outcomes.get("registered")).toBe(300);
  expect(await redis.zcard(oidcRegisteredIndexKey.build(keyPrefix))).toBe(300);
  // Each record, one index, and for each network that got a place its set, and its count of this minute.
  expect(await redis.dbsize()).toBeLessThanOrEqual(300 + 1 + 300 + 1000);
  // -1: without an end. A key may end meanwhile.
  for (const key of await redis.keys("*")) expect(await redis.ttl(key)).not.toBe(-1);
});

test("the largest registration that is accepted takes less than 8 KiB of Redis", async () => {
  const { register } = replica();
  const redirect_uris = Array.from({ length: 5 }, (_, index) => `http://127.0.0.1/${index}${"a".repeat(494)}`);
  const more = { client_name: "\u3042".repeat(80), software_id: "x".repeat(128), software_version: "9".repeat(128) };
  const answer = await register({ body: { scope, redirect_uris, ...more }, bearer: undefined, clientIp: "192.0.2.1" });
  expect(answer.outcome).toBe("registered");
  const taken = await Promise.all((await redis.keys("*")).map(async (key) => redis.memory("USAGE", key)));
  expect(taken.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)).toBeLessThan(8192);
});

test("a network has a limited number of unused registrations; used ones do not count", async () => {
  const { register, clients } = replica({ max_pending_per_network: 1, per_minute: 100 });
  const ask = () => register({ body, bearer: undefined, clientIp: "2001:db8:1:2::1" });
  const first = await ask();
  expect([first.outcome, (await ask()).outcome]).toEqual(["registered", "network_full"]);
  const id = first.outcome === "registered" ? first.registration.id : "";
  await clients.load(id);
  await clients.keep(id);
  expect((await ask()).outcome).toBe("registered");
  expect((await register({ body, bearer: undefined, clientIp: "2001:db8:1:2:ffff::9" })).outcome).toBe("network_full");
});

test("by default no client registers", async () => {
  const loaded = loadConfig({ text: "{}", env: {}, readFile: () => "" });
  const settings = () => (loaded.ok ? loaded.config.identity.oidc : expect.fail());
  const { registrations } = replica();
  const register = createRegisterClient(registrations, settings, () => undefined, { clock, region: undefined });
  expect(await register({ body, bearer: undefined, clientIp: "192.0.2.1" })).toEqual({ outcome: "disabled" });
  expect(await redis.dbsize()).toBe(0);
});

test("requests of a network are limited within a minute, also invalid ones", async () => {
  const { register } = replica({ per_minute: 2 });
  const ask = (value: unknown) => register({ body: value, bearer: undefined, clientIp: "192.0.2.1" });
  expect([(await ask({ scope })).outcome, (await ask(body)).outcome, (await ask(body)).outcome]).toEqual([
    "invalid",
    "registered",
    "rate_limited",
  ]);
});

test("with initial access tokens, a registration needs one of them", async () => {
  const token = "an-initial-access-token-of-the-site";
  const { register } = replica({ initial_access_tokens: [{ name: "staff", token }] });
  for (const bearer of [undefined, "", "wrong", `${token}x`]) {
    expect((await register({ body, bearer, clientIp: "192.0.2.1" })).outcome).toBe("no_token");
  }
  expect(await register({ body, bearer: token, clientIp: "192.0.2.1" })).toMatchObject({
    outcome: "registered",
    registration: { initialToken: "staff" },
  });
});

test("an unused registration ends after an hour, a used one after the last token, and a deleted one is not restored", async () => {
  const { register, clients, registrations } = replica({ unused_ttl: "2160h" });
  const answer = await register({ body, bearer: undefined, clientIp: "192.0.2.1" });
  if (answer.outcome !== "registered") throw new Error(answer.outcome);
  const { id, createdAt, endsAt } = answer.registration;
  expect(endsAt - createdAt).toBe(3600);
  await clients.load(id);
  await clients.keep(id);
  expect((await clients.load(id))?.endsAt).toBe(createdAt + 2160 * 3600);
  clock.nowMs += 2 * 3_600_000;
  expect(await registrations.remove(id)).toBe(true);
  await clients.keep(id);
  expect([await clients.load(id), await registrations.list(0, 10)]).toEqual([undefined, { found: [], isLast: true }]);
});

const app = { client_name: "App", redirect_uris: ["https://app.example.test/callback"] };

async function registeredApp(one: ReturnType<typeof replica>) {
  const answer = await one.register({ body: app, bearer: undefined, clientIp: "192.0.2.1" });
  if (answer.outcome !== "registered") throw new Error(answer.outcome);
  return { id: answer.registration.id, bearer: answer.token };
}

test("mail clients and other clients have bounds of their own, and operators see both", async () => {
  const { register, registrations } = replica(
    { max_registrations: 1, per_minute: 100 },
    { open: true, max_registrations: 2, per_minute: 100 },
  );
  const outcomes: string[] = [];
  for (const metadata of [body, app, body, app, app])
    outcomes.push((await register({ body: metadata, bearer: undefined, clientIp: "192.0.2.1" })).outcome);
  expect(outcomes).toEqual(["registered", "registered", "full", "registered", "full"]);
  const kinds = async (position: number, count: number) => {
    const { found, isLast } = await registrations.list(position, count);
    return [found.map(({ kind }) => kind), isLast];
  };
  expect(await kinds(0, 2)).toEqual([["mail", "full"], false]);
  expect(await kinds(2, 2)).toEqual([["full"], true]);
});

test("without `open`, only a request with an initial access token registers a client", async () => {
  const token = "an-initial-access-token-of-the-site";
  const { register } = replica({}, { initial_access_tokens: [{ name: "staff", token }] });
  const ask = async (bearer: string | undefined) =>
    (await register({ body: app, bearer, clientIp: "192.0.2.1" })).outcome;
  expect([await ask(undefined), await ask("wrong"), await ask(token)]).toEqual(["no_token", "no_token", "registered"]);
});

test("simultaneous changes at two replicas leave one of them whole, and no sign-in undoes a change", async () => {
  const [one, other] = [replica(), replica()];
  const client = await registeredApp(one);
  await Promise.all([one.clients.load(client.id), other.clients.load(client.id)]);
  const versions = Array.from({ length: 8 }, (_, index) => `https://app${index}.example.test/callback`);
  const answers = await Promise.all([
    ...versions.map((uri, index) =>
      (index % 2 === 0 ? one : other).manage.replace(client, {
        client_id: client.id,
        client_name: uri.slice(8, 12),
        redirect_uris: [uri],
      }),
    ),
    other.clients.keep(client.id).then(() => undefined),
  ]);
  expect(answers.slice(0, -1).map((answer) => answer?.outcome)).toEqual(versions.map(() => "ok"));
  const left = await one.registrations.find(client.id);
  const [uri = ""] = left?.redirectUris ?? [];
  expect(versions).toContain(uri);
  expect(left).toMatchObject({ name: uri.slice(8, 12), usedAt: expect.any(Number) });
});

test("a client that is deleted at one replica while another changes it stays deleted", async () => {
  const [one, other] = [replica(), replica()];
  for (let round = 0; round < 10; round += 1) {
    const client = await registeredApp(one);
    await other.clients.load(client.id);
    const change = { ...app, client_id: client.id };
    await Promise.all([one.manage.remove(client), other.manage.replace(client, change), other.clients.keep(client.id)]);
    expect(await one.registrations.find(client.id)).toBeUndefined();
    expect((await other.manage.read(client)).outcome).toBe("no_token");
    clock.nowMs += 61_000;
  }
});

test("only the client's own token manages it", async () => {
  const one = replica();
  const [own, foreign] = [await registeredApp(one), await registeredApp(one)];
  for (const bearer of [undefined, "", "wrong", foreign.bearer]) {
    expect((await one.manage.read({ ...own, bearer })).outcome).toBe("no_token");
    expect((await one.manage.replace({ ...own, bearer }, { ...app, client_id: own.id })).outcome).toBe("no_token");
    expect((await one.manage.remove({ ...own, bearer })).outcome).toBe("no_token");
  }
  expect((await one.manage.read(own)).outcome).toBe("ok");
});
