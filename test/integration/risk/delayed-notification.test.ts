import { createRiskNames } from "@postern/shared/domain/risk";
import { type RedisClient, riskNoticeKey } from "@postern/shared/platform/redis";
import { freePort, pause, poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { type HookReceiver, startHookReceiver } from "../../support/notification-receivers.ts";
import { testRedis } from "../../support/redis-content.ts";
import { passwordNonce } from "../../support/stack-config.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { remembered, reportsOf } from "./sign-ins.ts";

const owned = new AsyncDisposableStack();
const names = createRiskNames(passwordNonce);
let hooks: HookReceiver;
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
  const settings = {
    auth: { risk, controls: { enabled: ["brute_force"] } },
    identity: { notices: { enabled: true, webhook } },
    runtime: { jobs: { max_queued: 2 } },
  };
  idp = owned.use(await startIdpStack(settings, {}, 2));
  redis = await testRedis(idp.stack.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  await signInFrom("192.0.2.7");
});

afterAll(() => owned.disposeAsync());

/** Signs in, and waits until the engines remember it. */
async function signInFrom(clientIp: string): Promise<void> {
  const signIn = () => askJson(idp.stack.url, { ...alice, protocol: "imap", client_ip: clientIp });
  const { status } = await remembered(idp.stack, { account: alice.username }, signIn);
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

/** Once this is stored, no engine retries. */
async function untilSettled(clientIp: string): Promise<void> {
  const account = names.account(alice.username);
  const key = riskNoticeKey.build("postern:", account, names.network(clientIp) ?? "");
  await poll(`the notification about ${clientIp} to be stored`, async () => (await redis.get(key)) === "sent", 60_000);
}

test("while jobs-worker is stopped, what the queue does not take waits in the engine, and each arrives once", async () => {
  const networks = ["198.51.100.7", "203.0.113.7", "100.64.1.7"];
  for (const network of networks) await signInFrom(network);
  await poll("the third to be delayed", () => delays() === 1);
  expect(hooks.received).toEqual([]);
  await idp.stack.start("jobs-worker");
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
  for (const replica of replicas) replica.signal("SIGCONT");
  await untilSettled(network);
  await poll("the webhook", () => webhooksOf(network).length > 0);
  const received = webhooksOf(network);
  // A replica that continues within the deadline may still store what the engine repeats.
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  expect(received.every(({ time }) => Date.parse(time) <= signedInMs)).toBe(true);
});

test("a notification that waits in an engine is dropped when an operator flushes the account", async () => {
  const network = "100.64.4.7";
  const before = delays();
  await Promise.all([idp.first.stop(), idp.second.stop()]);
  await signInFrom(network);
  await poll("the engine to notice", () => delays() === before + 1);
  await idp.stack.start("admin");
  const flushed = await askAdmin(idp.stack, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } });
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
  const again = await askJson(idp.stack.url, { ...alice, protocol: "imap", client_ip: network });
  expect(again.status).toBe(200);
  await untilSettled(network);
  await poll("the webhook", () => webhooksOf(network).length > 0);
  expect(webhooksOf(network)).toHaveLength(1);
  expect(webhooksOf("100.64.4.7")).toEqual([]);
});
