import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
  // A leaked password alone is not suspicious.
  weights: { leaked_password: 5 },
  suspicious: { score: 10, responses: ["notify"] },
};
const contact = "alice@elsewhere.example";
const guess = "Canary-Winter-2026";
const leaked = hash("sha1", alice.password, "hex").toUpperCase();
const [home, bot, hotel] = ["192.0.2.7", "198.51.100.7", "203.0.113.7"] as const;

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  writeFileSync(join(folder, "leaked"), `${leaked}:3\n`);
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
        auth: {
          risk: { ...risk, leaked_passwords_file: join(folder, "leaked") },
          controls: { enabled: ["brute_force"] },
        },
        identity: { notices: { enabled: true, webhook, mail } },
      },
      { NODE_EXTRA_CA_CERTS: join(folder, "trusted.crt") },
      2,
    ),
  );
  using database = new DatabaseSync(idp.directoryFile);
  database.prepare("UPDATE users SET mail = ? WHERE username = ?").run(contact, alice.username);
  await idp.stack.start("jobs-worker");
});

afterAll(() => owned.disposeAsync());

const signIn = async (clientIp: string): Promise<number> =>
  (await askJson(idp.stack.url, { ...alice, protocol: "imap", client_ip: clientIp })).status;

/** What Redis has about risks; network digests of the account, once engines have written them. */
async function factsOf(): Promise<string> {
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  const kept = (await redisContent(redis)).split("\n").filter((line) => line.includes("risk:"));
  redis.disconnect();
  return kept.join("\n");
}

/** Waits until what engines remember has changed. */
async function remembered(act: () => Promise<void>): Promise<void> {
  const before = await factsOf();
  await act();
  await poll("facts", async () => (await factsOf()) !== before);
}

test("a suspicious sign-in notifies the user outside the mailbox and the operator by webhook, once for its network", async () => {
  await remembered(async () => expect(await signIn(home)).toBe(200));
  await remembered(async () => expect(await signIn(bot)).toBe(200));
  await poll("the webhook", () => hooks.received.length > 0);
  await poll("the mail", () => mails.received.length > 0);
  // Both engines read that the network is no news.
  for (let index = 0; index < 6; index += 1) expect(await signIn("198.51.100.8")).toBe(200);
  await remembered(async () => expect(await signIn(hotel)).toBe(200));
  await poll("the second network", () => hooks.received.length > 1);
  const bodies = hooks.received.map(({ body }) => Object(JSON.parse(body)));
  expect(bodies.map(({ event, account, client_ip: ip }) => [event, account, ip])).toEqual([
    ["suspicious_sign_in", alice.username, bot],
    ["suspicious_sign_in", alice.username, hotel],
  ]);
  await poll("the second mail", () => mails.received.length > 1);
  expect(mails.received.map(({ to }) => to)).toEqual([[contact], [contact]]);
});

test("no password and no digest of one leaves the engines, and addresses and names are only where the privacy page says", async () => {
  const { stack } = idp;
  for (let index = 0; index < 6; index += 1) {
    const wrong = await askJson(stack.url, {
      ...alice,
      password: guess,
      protocol: "imap",
      client_ip: `100.64.${index}.7`,
    });
    expect(wrong.status).toBe(403);
  }
  const worker = stack.services.get("jobs-worker");
  const services = [...stack.engines, stack.gateway, idp.first, idp.second, ...(worker === undefined ? [] : [worker])];
  const engines = stack.engines.map((engine) => engine.output()).join("\n");
  // The canaries have been where they may be, so their absence elsewhere says something.
  expect(engines).toMatch(/"msg":"suspicious sign-in"/u);
  expect(engines).toMatch(/"event":"risk.sign_in"/u);
  expect(engines).toContain(bot);
  const metrics = (await Promise.all(services.map((service) => service.metrics()))).join("\n");
  expect(metrics).toMatch(/_risk_signals_total\{signal="leaked_password"\} [1-9]/u);
  const redis = await testRedis(stack.redis?.port ?? 0);
  const everything = [
    ...services.map((service) => service.output()),
    metrics,
    await redisContent(redis),
    ...hooks.received.map(({ body, headers }) => body + JSON.stringify(headers)),
    ...mails.received.map(({ source }) => source),
  ].join("\n");
  redis.disconnect();
  for (const secret of [alice.password, guess, leaked, leaked.toLowerCase()]) {
    for (const form of [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)]) {
      expect(everything.includes(form)).toBe(false);
    }
  }
  for (const kept of [await factsOf(), metrics]) {
    expect(kept).not.toMatch(/alice|elsewhere|192\.0\.2\.|198\.51\.|203\.0\.113|100\.64\./u);
  }
});
