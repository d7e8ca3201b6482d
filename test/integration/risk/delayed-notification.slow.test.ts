import { createRiskNames } from "@postern/shared/domain/risk";
import { type RedisClient, riskNoticeKey } from "@postern/shared/platform/redis";
import { freePort, pause, poll, spawnRedis, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Answer, askJson } from "../../support/ask-json.ts";
import { type HoldingProxy, startHoldingProxy } from "../../support/holding-proxy.ts";
import { type HookReceiver, startHookReceiver } from "../../support/notification-receivers.ts";
import { testRedis } from "../../support/redis-content.ts";
import { merged, passwordNonce, redisGivenUpSoon } from "../../support/stack-config.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";
import { remembered, reportsOf } from "./sign-ins.ts";

const owned = new AsyncDisposableStack();
const names = createRiskNames(passwordNonce);
const account = "alice";
let hooks: HookReceiver;
let directory: HoldingProxy;
let idp: IdpStack;
let redis: RedisClient;

beforeAll(async () => {
  const port = await freePort();
  hooks = owned.use(await startHookReceiver(port));
  const webhook = { url: `http://127.0.0.1:${port}/hook`, secret: "a-secret-of-webhooks-0123456789" };
  // Every new network is suspicious, so that no places are needed.
  const risk = {
    mode: "enforce",
    learn_for: "0s",
    known_after: "0s",
    suspicious: { score: 10, responses: ["notify"] },
  };
  // What an engine asks for can be stored while the facts are unavailable.
  const queue = owned.use(await spawnRedis());
  const settings = {
    auth: { risk, controls: { enabled: ["brute_force"] }, pipeline: { local_cache_ttl: "0s" } },
    identity: { notices: { enabled: true, webhook } },
    // Longer than a test takes.
    runtime: { jobs: { max_queued: 2 }, timeouts: { decision: "120s", ldap_search: "120s" } },
    storage: { redis: { roles: { queue: { url: queue.url } } } },
  };
  const slapd = owned.use(await spawnSlapd({ ldif: exampleLdif }));
  directory = owned.use(await startHoldingProxy(slapd.port));
  const { rootDn: bindDn, rootPassword, suffix } = slapd;
  const search = {
    protocol: ["imap"],
    cache_name: "mail",
    base_dn: `ou=people,${suffix}`,
    filter: { user: "(uid=%L{user})" },
    mapping: { account_field: "uid" },
    attribute: ["mail"],
  };
  const pool = { server_uri: [`ldap://127.0.0.1:${directory.port}`], bind_dn: bindDn, bind_pw: rootPassword };
  idp = owned.use(
    await startIdpStack(merged(redisGivenUpSoon, settings), {
      engines: 2,
      others: { order: ["ldap"], ldap: { default: pool, search: [search] } },
    }),
  );
  redis = await testRedis(idp.stack.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  await signInFrom("192.0.2.7");
});

afterAll(() => owned.disposeAsync());

const signIn = (clientIp: string): Promise<Answer> =>
  askJson(idp.stack.url, {
    username: account,
    password: "alice-password",
    protocol: "imap",
    client_ip: clientIp,
  });

/** Signs in, and waits until the engines remember it. */
async function signInFrom(clientIp: string): Promise<void> {
  const { status } = await remembered(idp.stack, { account }, () => signIn(clientIp));
  expect(status).toBe(200);
}

const webhooksOf = (clientIp: string): readonly { readonly id: string; readonly time: string }[] =>
  hooks.received.map(({ body }) => Object(JSON.parse(body))).filter(({ client_ip: from }) => from === clientIp);

const delays = (): number =>
  idp.stack.engines.reduce((sum, engine) => sum + engine.output().split("user notification is delayed").length - 1, 0);

async function metricOf(result: string): Promise<number> {
  const pages = await Promise.all(idp.stack.engines.map((engine) => engine.metrics()));
  const lines = pages.map((page) => new RegExp(`_risk_notices_total\\{result="${result}"\\} (\\d+)`, "u").exec(page));
  return lines.reduce((sum, line) => sum + Number(line?.[1] ?? 0), 0);
}

const noticeKeyOf = (clientIp: string): string =>
  riskNoticeKey.build("postern:", names.account(account), names.network(clientIp) ?? "");

/** The engine's claim to notify expires, as it does after eight seconds. */
async function endClaim(clientIp: string): Promise<void> {
  await redis.del(noticeKeyOf(clientIp));
}

/** Once this is stored, no engine retries. */
async function untilSettled(clientIp: string): Promise<void> {
  const key = noticeKeyOf(clientIp);
  await poll(`the notification about ${clientIp} to be stored`, async () => (await redis.get(key)) === "sent");
}

test("while jobs-worker is stopped, what the queue does not take waits in the engine, and each arrives once", async () => {
  const networks = ["198.51.100.7", "203.0.113.7", "100.64.1.7"];
  for (const network of networks) await signInFrom(network);
  await poll("the third to be delayed", () => delays() === 1);
  expect(hooks.received).toEqual([]);
  await idp.stack.start("jobs-worker");
  await endClaim(networks[2] ?? "");
  for (const network of networks) {
    await untilSettled(network);
    await poll(`the webhook about ${network}`, () => webhooksOf(network).length > 0);
  }
  expect(networks.map((network) => webhooksOf(network).length)).toEqual([1, 1, 1]);
  expect([await metricOf("sent"), await metricOf("delayed"), await metricOf("lost")]).toEqual([3, 1, 0]);
});

test("a notification whose answer is lost with NATS is sent again, under the same id and with the time of the sign-in", async () => {
  const network = "100.64.2.7";
  const before = delays();
  const replicas = [idp.first, idp.second];
  for (const replica of replicas) await pause(replica);
  await signInFrom(network);
  const signedInMs = Date.now();
  await idp.stack.nats.stop();
  await poll("the engine to notice", () => delays() === before + 1);
  await idp.stack.startNats();
  await endClaim(network);
  for (const replica of replicas) replica.signal("SIGCONT");
  await untilSettled(network);
  await poll("the webhook", () => webhooksOf(network).length > 0);
  const received = webhooksOf(network);
  // A replica that continues within the deadline may still store what the engine repeats.
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  expect(received.every(({ time }) => Date.parse(time) <= signedInMs)).toBe(true);
});

test("while Redis hangs, each engine that decides a suspicious sign-in notifies, so that no notification is lost", async () => {
  const { redis: server, engines } = idp.stack;
  if (server === undefined) throw new Error("there is no Redis");
  const network = "100.64.5.7";
  directory.hold("uid");
  // Each engine has read the facts when it asks the directory. The gateway chooses the engine with fewer unanswered requests.
  const first = signIn(network);
  await poll("an engine to ask the directory", () => directory.held() === 1);
  const second = signIn(network);
  await poll("the other engine to ask it", () => directory.held() === 2);
  await pause(server);
  directory.release();
  try {
    for (const { status } of await Promise.all([first, second])) expect(status).toBe(200);
    await poll("a webhook of each engine", () => webhooksOf(network).length === 2);
    expect(engines.map((engine) => reportsOf(engine, network))).toEqual([1, 1]);
    expect(new Set(webhooksOf(network).map(({ id }) => id)).size).toBe(2);
  } finally {
    server.signal("SIGCONT");
  }
  await untilSettled(network);
  await poll("the engines to use Redis again", async () => {
    await signIn("192.0.2.7");
    const pages = await Promise.all(engines.map((engine) => engine.metrics()));
    return pages.every((page) => page.includes("service_brute_force_redis_away 0"));
  });
});

test("a notification that waits in an engine is dropped when an operator flushes the account", async () => {
  const network = "100.64.4.7";
  const before = delays();
  await Promise.all([idp.first.stop(), idp.second.stop()]);
  await signInFrom(network);
  await poll("the engine to notice", () => delays() === before + 1);
  await idp.stack.start("admin");
  const flushed = await askAdmin(idp.stack, "DELETE", "/api/v1/cache/flush", { body: { user: account } });
  expect(flushed.status).toBe(200);
  await poll("the notification to be dropped", async () => (await metricOf("dropped")) === 1);
  expect([await metricOf("lost"), webhooksOf(network)]).toEqual([0, []]);
});

test("if the engine ends before an identity provider answers, the next suspicious sign-in at another engine notifies", async () => {
  const network = "100.64.3.7";
  const before = delays();
  // Without a known network, none is new.
  await signInFrom("192.0.2.7");
  await signInFrom(network);
  await poll("the engine to notice", () => delays() === before + 1);
  const noticed = idp.stack.engines.find((engine) => reportsOf(engine, network) > 0);
  noticed?.signal("SIGKILL");
  expect(noticed).toBeDefined();
  await idp.stack.start("idp");
  expect(webhooksOf(network)).toEqual([]);
  await endClaim(network);
  expect((await signIn(network)).status).toBe(200);
  await untilSettled(network);
  await poll("the webhook", () => webhooksOf(network).length > 0);
  expect(webhooksOf(network)).toHaveLength(1);
  expect(webhooksOf("100.64.4.7")).toEqual([]);
});
