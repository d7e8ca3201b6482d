import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, poll, scratchFolder } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { makeCertificate } from "../../support/certificates.ts";
import {
  type HookReceiver,
  type MailReceiver,
  startHookReceiver,
  startMailReceiver,
} from "../../support/notification-receivers.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const owned = new AsyncDisposableStack();
const login = { username: "postern", password: "mail-password-0123456789" };
let hooks: HookReceiver;
let mails: MailReceiver;
let idp: IdpStack;

/** Every new network is suspicious, so that no places are needed. */
const risk = {
  mode: "enforce",
  learn_for: "0s",
  known_after: "0s",
  suspicious: { score: 10, responses: ["notify"] },
};

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  await makeCertificate(folder, "trusted", "/CN=localhost");
  const [cert = "", key = ""] = ["crt", "key"].map((kind) => readFileSync(join(folder, `trusted.${kind}`), "utf8"));
  const [hookPort, mailPort] = await Promise.all([freePort(), freePort()]);
  hooks = owned.use(await startHookReceiver(hookPort));
  mails = owned.use(await startMailReceiver({ port: mailPort, certificate: { cert, key }, ...login }));
  const webhook = { url: `http://127.0.0.1:${hookPort}/hook`, secret: "a-secret-of-webhooks-0123456789" };
  const mail = { server: `localhost:${mailPort}`, ...login, from: "Security <security@example.test>" };
  idp = owned.use(
    await startIdpStack(
      {
        auth: { risk, controls: { enabled: ["brute_force"] } },
        identity: { notices: { enabled: true, webhook, mail } },
      },
      { NODE_EXTRA_CA_CERTS: join(folder, "trusted.crt") },
    ),
  );
  await idp.stack.start("jobs-worker");
});

afterAll(() => owned.disposeAsync());

const signIn = async (clientIp: string): Promise<number> =>
  (await askJson(idp.stack.url, { ...alice, protocol: "imap", client_ip: clientIp })).status;

test("a suspicious sign-in notifies the user by mail and the operator by webhook, once for its network", async () => {
  expect(await signIn("192.0.2.7")).toBe(200);
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  await poll("facts of the account", async () => (await redisContent(redis)).includes("risk:account:"));
  redis.disconnect();
  expect(await signIn("198.51.100.7")).toBe(200);
  await poll("the webhook", () => hooks.received.length > 0);
  await poll("the mail", () => mails.received.length > 0);
  // Written once it is remembered, so further sign-ins from there are no news.
  for (let index = 0; index < 5; index += 1) expect(await signIn("198.51.100.8")).toBe(200);
  expect(await signIn("203.0.113.7")).toBe(200);
  await poll("the second network", () => hooks.received.length > 1);
  const bodies = hooks.received.map(({ body }) => Object(JSON.parse(body)));
  expect(bodies.map(({ event, account, client_ip: ip }) => [event, account, ip])).toEqual([
    ["suspicious_sign_in", alice.username, "198.51.100.7"],
    ["suspicious_sign_in", alice.username, "203.0.113.7"],
  ]);
  expect(mails.received[0]?.to).toEqual([alice.username]);
});
